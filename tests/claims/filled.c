// run: --entry f --input n=8 --input v=1
// parameters: int n, int v
// grid: 0 16
#include <assert.h>
#include <string.h>
int f(int n, int v) {
  int a[4] = {0};
  memset(a, v, n);
  assert(a[0] != 0x01010101);
  return 0;
}
