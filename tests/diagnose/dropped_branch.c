#include <assert.h>
#define SIGNED 0

int f(int x) {
  int r = x;
#ifdef NEVER
  if (x > 3)
    r = 3;
#endif
  if (SIGNED) {
    while (r > 0)
      r = -r;
  }
  assert(r < 0);
  return r;
}

// run: --entry f --input x=4
// fix: 10   if (!SIGNED) {
// faults: 5
// sets: {5}
// doubt: a condition that the compiler drops
// note: dropped_branch.c:10:7: the compiler drops this condition
