#include <assert.h>
#include <stdarg.h>

static int rest(int n, va_list more) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += va_arg(more, int);
  return s;
}

static int twice(int n, ...) {
  va_list first, second;
  va_start(first, n);
  va_copy(second, first);
  int a = rest(n, first);
  double scale = va_arg(second, int);
  va_end(first);
  va_end(second);
  return a * (int)scale;
}

int main(void) {
  int extra = 4;
  int t = twice(2, 3, extra);
  assert(t == 24);
  return 0;
}

// run:
// fails: 25 assertion t == 24
// tells: 23 24 15 5 7 7 8 15 16 19 24 25
// precondition: true
