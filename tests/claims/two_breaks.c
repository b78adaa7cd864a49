// run: --entry f --input n=4 --input k=9
// parameters: int n, int k
#include <assert.h>
int f(int n, int k) {
  int i = 0, s = 0;
  for (;;) {
    i++;
    if (i >= n)
      break;
    s += 2;
    if (i == k)
      break;
    s++;
  }
  assert(s != 9);
  return 0;
}
