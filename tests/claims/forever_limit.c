// run: --entry f --input x=1 --input lim=12
// parameters: int x, int lim
#include <assert.h>
int f(int x, int lim) {
  for (;;) {
    x += 7;
    if (x > lim)
      break;
  }
  assert(x % 5 != 0);
  return x;
}
