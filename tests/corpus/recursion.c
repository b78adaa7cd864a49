#include <assert.h>

static int calls;

static int factorial(int n) {
  calls++; // irrelevant
  if (n == 0)
    return 0;
  return n * factorial(n - 1);
}

int main(void) {
  int f = factorial(3);
  assert(f == 6);
  return calls;
}

// run:
// fails: 14 assertion
// steps: 13 9 9 9 8 9 9 9 13 14
// steps-trace: 8 9 9 9 13 14
// reason: 8 because 7 n == 0
