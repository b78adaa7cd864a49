#include <assert.h>

typedef int (*operation)(int, int);

static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }

static operation choose(char c) {
  if (c == '+')
    return subtract;
  return add;
}

int main(void) {
  operation f = choose('+');
  int r = f(2, 3);
  assert(r == 5);
  return 0;
}

// run:
// fails: 17 assertion
// steps: 15 10 15 16 6 16 17
// reason: 16 because 16 f == subtract
