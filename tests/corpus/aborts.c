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
