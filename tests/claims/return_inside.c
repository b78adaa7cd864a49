// run: --entry f --input n=4 --input k=9
// parameters: int n, int k
#include <assert.h>
int f(int n, int k) {
  int i = 0;
  while (i < n) {
    if (i == k)
      return 0;
    i++;
  }
  assert(n < 3);
  return 0;
}
