#include <assert.h>

static int minus(int a, int b) {
  int d = a - b;
  return d;
}

int main(void) {
  int x = 9;
  int y = 4;
  int d = minus(y, x);
  int e = minus(10, 7);
  assert(d == 5);
  assert(e == 3);
  assert(x == 9 && y == 4);
  return 0;
}

// run:
// fix: 11 int d = minus(x, y);
// sets: {4} {5} {11}
