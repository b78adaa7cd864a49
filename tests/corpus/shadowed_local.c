#include <assert.h>

int main(void) {
  int x = 1;
  int y = 0;
  {
    int x = 5;
    y = x * 2;
  }
  y -= x;
  for (int i = 0; i < 2; i++)
    y += 0;
  for (int i = 0; i < 1; i++)
    y -= i;
  assert(y < 9);
  return 0;
}

// run:
// fails: 15 assertion y < 9
// tells: 4 7 8 10 15
// invariant: 4 x@4 <= 1
// invariant: 7 x@4 <= 1 && x@7 >= 5
// no-notes:
