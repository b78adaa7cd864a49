#include <assert.h>

static int fib(int n) {
  if (n < 2)
    return 1;
  return fib(n - 1) + fib(n - 2);
}

int main(void) {
  int wanted = 5;
  int f = fib(5);
  assert(f == wanted);
  return 0;
}

// run:
