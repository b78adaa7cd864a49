#include <assert.h>
#include <stdarg.h>

static int largest(int count, ...) {
  va_list list;
  int best = 0;
  va_start(list, count);
  for (int i = 0; i < count; i++) {
    int v = va_arg(list, int);
    if (v > best)
      best = v;
  }
  va_end(list);
  return best;
}

int main(void) {
  int m = largest(3, -4, -2, -9);
  assert(m == -2);
  return 0;
}

// run:
// fails: 19 assertion
// steps: 18 6 8 9 10 8 9 10 8 9 10 8 8 14 18 19
// frame: 10 best
// precondition: true
