// run: --entry f --input i=2 --input c=1
// parameters: int i, int c
#include <assert.h>
int f(int i, int c) {
  int a[4] = {1, 2, 3, 4};
  if (c > 2)
    a[i & 3] = 9;
  assert(a[1] != 2);
  return 0;
}
