#include <assert.h>

int scale(int x);
extern int factor;

int main(void) {
  int x = scale(5);
  assert(factor == 4);
  assert(x == 20);
  return 0;
}

// run:
// fix: scale.c:4 return x * factor;
