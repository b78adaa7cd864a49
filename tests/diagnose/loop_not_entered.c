#include <assert.h>

int f(int n) {
  int s = 0;
  if (n > 10) {
    for (int i = 0; i < 5; i++)
      s = s + n;
  }
  assert(s == 5 * n);
  return s;
}

// run: --entry f --input n=3
// fix: 5   if (n > 2) {
// sets: {4} {5}
// doubt: loops or recursion were not followed to their end
