// run: --entry f --input n=3 --input c=1
// parameters: int n, int c
#include <assert.h>
int f(int n, int c) {
  int i = 0, s = 0;
  if (c > 0)
    goto middle;
  while (i < n) {
    s += 10;
  middle:
    s++;
    i++;
  }
  assert(s != 23);
  return 0;
}
