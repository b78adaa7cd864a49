#include <stdlib.h>

static int depth;

static void enter(void) {
  depth++;
  if (depth > 2)
    abort();
}

int main(void) {
  int calls = 0;
  while (calls < 3) {
    enter();
    calls++;
  }
  return 0;
}

// run:
// fails: 8 signal abort
// steps: 3 12 6 15 6 15 6 8
// reason: 8 because 7 depth > 2
// precondition: true
