#include <assert.h>

static int opened, closed;

static int use(int broken) {
  int result = -1;
  opened++;
  if (broken)
    goto out;
  result = 0;
  closed++;
out:
  closed = closed + 0;
  return result;
}

int main(void) {
  int a = use(0);
  int b = use(1);
  assert(a == 0 && b == -1);
  assert(opened == closed);
  return 0;
}

// run:
// fix: 11 closed += 0;
// fix: 13 closed = closed + 1;
// faults: 13
