#include <assert.h>

int main(void) {
  int a = 1, b = 2;
  a = 3;
  assert(a == 1);
  assert(b == 3);
  return 0;
}

// run:
// fix: 5 b = 3;
// known: where a store writes is free only when it is computed
