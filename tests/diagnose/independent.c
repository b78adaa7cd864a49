#include <assert.h>

int step(int x) {
  int y;
  if (x > 0)
    y = x - 1;
  else
    y = x + 2;
  assert(x > 0 ? y == x + 1 : y == -x);
  return y;
}

// run: --entry step
// test: inputs x=4
// test: inputs x=-6
// fix: 6 y = x + 1;
// fix: 8 y = -x;
// sets t1: {6} {5,8}
// sets t2: {8} {5,6}
// sets: {5,6} {5,8} {6,8}
// product: {6,8} {5,6} {5,8} {5,6,8}
