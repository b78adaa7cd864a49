#include <assert.h>

int main(void) {
  int a = 1, b = 2;
  int *larger = &b;
  if (a < b)
    larger = &a;
  *larger = 10;
  assert(a == 1);
  assert(b == 10);
  return 0;
}

// run:
// fix: 7 larger = &b;
