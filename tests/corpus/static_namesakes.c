#include <assert.h>

static int up(void) {
  static int n = 0;
  n += 2;
  return n;
}

static int down(void) {
  static int n = 10;
  n -= 3;
  return n;
}

int main(void) {
  int s = 0;
  s += up();
  s += down();
  s += up();
  s += down();
  assert(s != 17);
  return 0;
}

// run:
// fails: 21 assertion s != 17
// tells: 4 10 16 5 11 21
// invariant: 19 s + down::n == 20
// invariant: 11 s + n == 17
// no-notes:
