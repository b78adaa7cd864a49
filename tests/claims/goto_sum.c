// run: --entry f --input n=4
// parameters: int n
#include <assert.h>
int f(int n) {
  int i = 0, s = 0;
loop:
  s += i;
  i++;
  if (i < n)
    goto loop;
  assert(s != 6);
  return s;
}
