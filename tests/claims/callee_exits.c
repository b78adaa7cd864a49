// run: --entry f --input x=1 --input y=3
// parameters: int x, int y
#include <assert.h>
#include <stdlib.h>
static void check(int x) {
  if (x > 5)
    exit(0);
}
int f(int x, int y) {
  check(x);
  assert(y != 3);
  return 0;
}
