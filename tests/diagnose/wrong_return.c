#include <assert.h>

static int sign(int x) {
  if (x < 0)
    return -1;
  if (x == 0)
    return 1;
  return 1;
}

int main(void) {
  assert(sign(-7) == -1);
  assert(sign(0) == 0);
  assert(sign(3) == 1);
  return 0;
}

// run:
// fix: 7 return 0;
