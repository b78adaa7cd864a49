// run: --entry f --input a=3 --input b=1
// parameters: int a, int b
// grid: -6 6
#include <assert.h>
#include <stdlib.h>
static int order(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }
int f(int a, int b) {
  int v[3] = {a, b, 2};
  qsort(v, 3, sizeof v[0], order);
  assert(v[2] != 3);
  return 0;
}
