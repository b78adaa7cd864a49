#include <assert.h>

int main(void) {
  int a[8] = {0};
  int *p = a + 1;
  int *q = a + 4;
  long d = q - p;
  assert(d != 3);
  return 0;
}

// run:
// fails: 8 assertion d != 3
// steps: 5 6 7 8
// invariant: 5 a + 4 - p == 3
// invariant: 6 q - p == 3
// no-notes:
