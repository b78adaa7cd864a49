#include <assert.h>

int main(void) {
  unsigned char sum = 200;
  unsigned char more = 100;
  sum = sum + more;
  int all = sum;
  assert(all == 44 + 6);
  return 0;
}

// run:
// fix: 5 unsigned char more = 106;
// sets: {4} {5} {6} {7}
