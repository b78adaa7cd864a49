#include <assert.h>

struct range {
  int lo, hi;
};

static int width(struct range r) {
  return r.hi - r.lo;
}

static int first(const int *p) {
  return p[0];
}

int main(void) {
  int k = 2;
  int w = width((struct range){.hi = k, .lo = k + 3});
  int f = first((int[]){[1] = 4, [0] = w});
  assert(f > 0);
  return 0;
}

// run:
// fails: 19 assertion f > 0
// steps: 17 8 17 18 12 18 19
// invariant: 17 r.hi <= r.lo
// invariant: 18 *(int *)memory@18 <= 0
// no-notes:
