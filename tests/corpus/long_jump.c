#include <assert.h>
#include <setjmp.h>

static jmp_buf back;

static void thrower(int k) {
  if (k > 2)
    longjmp(back, k);
}

int main(void) {
  volatile int tries = 0;
  int r = setjmp(back);
  if (r == 0) {
    tries = 1;
    thrower(3);
    tries = 7;
  } else {
    tries = tries + r;
  }
  assert(tries == 7);
  return 0;
}

// run:
// fails: 21 assertion tries == 7
// steps: 13 15 16 13 19 21
