// run: --entry f --input n=4
// parameters: int n
#include <assert.h>
int f(int n) {
  int i = 0, s = 0;
  for (;;) {
    s += i;
    i++;
    if (i >= n)
      break;
  }
  assert(s != 6);
  return s;
}
