#include <stdlib.h>

void assert(int holds) {
  if (!holds)
    abort();
}

int main(void) {
  int x = 3;
  x = x + 1;
  assert(x == 3);
  return 0;
}

// run:
// fails: 11 assertion x == 3
// tells: 9 11
