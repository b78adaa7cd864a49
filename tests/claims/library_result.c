// run: --entry f --input c=97
// parameters: int c
// grid: 0 127
#include <assert.h>
#include <ctype.h>
int f(int c) {
  int d = toupper(c);
  assert(d != 'A');
  return 0;
}
