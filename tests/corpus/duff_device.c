#include <assert.h>

static int copies(int n) {
  int done = 0, rounds = (n + 3) / 4;
  switch (n % 4) {
  case 0:
    do {
      done++;
    case 3:
      done++;
    case 2:
      done++;
    case 1:
      done++;
    } while (--rounds > 1);
  }
  return done;
}

int main(void) {
  int c = copies(6);
  assert(c == 6);
  return 0;
}

// run:
// fails: 22 assertion c == 6
// tells: 21 4 4 12 14 17 21 22
