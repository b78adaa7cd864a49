// run: --entry f --input x=1
// parameters: int x
#include <assert.h>
int f(int x) {
  while (1) {
    x = x * 3 + 1;
    if (x > 100)
      break;
  }
  assert(x < 100 || x > 200);
  return 0;
}
