#include <assert.h>

static int factorial(int n) {
  if (n <= 1)
    return 0;
  int rest = factorial(n - 1);
  return n * rest;
}

int main(void) {
  int f = factorial(4);
  assert(f == 24);
  return 0;
}

// run:
// fix: 5 return 1;
