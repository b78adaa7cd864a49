#include <assert.h>

static int next(void) {
  static int last = 1;
  last = last + 1;
  return last;
}

int main(void) {
  int a = next();
  int b = next();
  assert(a == 1 && b == 2);
  return 0;
}

// run:
// fix: 4 static int last = 0;
// sets: {4} {5} {6} {10,11}
