#include <assert.h>

int clamp(int x, int low, int high) {
  int r = x < low ? low : x > high ? low : x;
  assert(r >= low && r <= high);
  assert(x <= high || r == high);
  return r;
}

// run: --entry clamp
// test: inputs x=9 low=1 high=5
// fix: 4 int r = x < low ? low : x > high ? high : x;
// sets: {4}
