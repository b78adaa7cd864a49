/* Growth: a long run of which only the end matters. */
#include <assert.h>

int work(int n) {
  int total = 0;
  int last = 0;
  for (int i = 0; i < n; i++) {
    total = (total * 31 + i) & 1023;
    if (total > 500)
      total -= 7;
  }
  last = total - total / 2 * 2;
  last = 3;
  assert(last != 3);
  return total;
}
