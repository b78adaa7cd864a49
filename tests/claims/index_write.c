// run: --entry f --input i=2 --input v=9
// parameters: int i, int v
#include <assert.h>
int f(int i, int v) {
  int a[4] = {1, 2, 3, 4};
  a[i & 3] = v;
  assert(a[1] == 9);
  return 0;
}
