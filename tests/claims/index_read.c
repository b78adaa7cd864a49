// run: --entry f --input i=2 --input x=4
// parameters: int i, int x
#include <assert.h>
int f(int i, int x) {
  int a[4] = {5, 6, 7, 8};
  int y = a[i & 3];
  if (x > 3)
    y++;
  assert(y != 8);
  return 0;
}
