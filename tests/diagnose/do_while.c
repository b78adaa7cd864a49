#include <assert.h>

int length(int n) {
  int k = 0;
  do {
    n = n / 10;
    k = k + 1;
  } while (n > 9);
  return k;
}

int main(void) {
  int k = length(1234);
  assert(k == 4);
  return 0;
}

// run:
// fix: 8 } while (n > 0);
// faults: 4 7 8 9 13
