#include <assert.h>
#define ROUND_UP 1

int f(int x) {
  int r = x / 2;
  if (ROUND_UP)
    r = r + 1;
  assert(r == 2);
  return r;
}

// run: --entry f --input x=4
// fix: 6   if (!ROUND_UP)
// faults: 5 7
// sets: {5} {7}
// doubt: a condition that the compiler drops
// note: constant_condition.c:6:7: the compiler drops this condition
