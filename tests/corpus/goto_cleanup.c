#include <assert.h>

static int locked;
static int opened;

static int work(int step) {
  locked = 1;
  if (step > 2)
    goto fail;
  opened = 1;
  locked = 0;
  return 0;
fail:
  opened = 0; // irrelevant
  return -1;
}

int main(void) {
  int r = work(3);
  assert(locked == 0);
  return r;
}

// run:
// fails: 20 assertion
// steps: 19 7 8 20
// steps-trace: 7 20
// frame: 8 locked
// reasons: 8 step > 2
