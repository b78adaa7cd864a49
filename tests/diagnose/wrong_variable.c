#include <assert.h>

int main(void) {
  int a = 1, b = 2;
  int t = a;
  a = b;
  b = a;
  assert(a == 2 && b == 1 && t == 1);
  return 0;
}

// run:
// fix: 7 b = t;
