// run: --entry f --input i=1
// parameters: int i
// grid: 0 5
#include <assert.h>
int f(int i) {
  int a[6] = {3, 4, 9, 1, 0, 2};
  int n = 0;
  while (a[i] > 2) {
    i++;
    n++;
    if (i > 5)
      break;
  }
  assert(n != 2);
  return 0;
}
