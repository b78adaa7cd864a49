#include <assert.h>

static int divide(int a, int b, int *quotient, int *rest) {
  if (b == 0)
    return -1;
  *quotient = a / b;
  if (a > 0)
    *rest = a - *quotient * b;
  return 0;
}

int main(void) {
  int q = 0, r = 0;
  int status = divide(-7, 2, &q, &r);
  assert(status == 0);
  assert(q * 2 + r == -7);
  return 0;
}

// run:
// fails: 16 assertion
// steps: 13 14 7 9 14 16
// reason: 16 because 15 status == 0
// frame: 7 *rest
