#include <assert.h>

int middle(int low, int high) {
  int length = high + low;
  int mid = low + length / 2;
  assert(low <= mid && mid <= high);
  return mid;
}

// run: --entry middle
// test: inputs low=10 high=20
// test: inputs low=7 high=8
// fix: 4 int length = high - low;
// sets: {4} {5}
