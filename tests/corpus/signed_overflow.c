#include <assert.h>

int middle(int low, int high) {
  int width = high - low; // irrelevant
  int mid = (low + high) / 2;
  assert(mid >= low);
  return mid + width;
}

// run: --entry middle --input low=1500000000 --input high=2000000000
// fails: 6 assertion
// steps: 5 6
// note: signed overflow
