#include <assert.h>
#include <setjmp.h>

static jmp_buf back[3];
static int seen;

static void down(int depth) {
  if (depth == 3)
    longjmp(back[1], 7);
  int code = setjmp(back[depth]);
  if (code == 0)
    down(depth + 1);
  else
    seen = depth * 10 + code;
}

int main(void) {
  down(0);
  assert(seen == 27);
  return 0;
}

// run:
// fails: 19 assertion seen == 27
// tells: 18 12 12 12 14 19
// reason: 14 because 11
