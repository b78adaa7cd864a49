#include <assert.h>

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int (*const table[2])(int, int) = {add, sub};

int main(void) {
  int operation = 1;
  int x = table[operation](7, 2);
  assert(x == 9);
  return 0;
}

// run:
// fix: 8 int operation = 0;
