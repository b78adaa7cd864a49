#include <assert.h>

static void reverse(int *from, int *to) {
  while (from < to) {
    int t = *from;
    *from = *to;
    *to = t;
    from++;
  }
}

int main(void) {
  int a[3] = {1, 2, 3};
  reverse(a, a + 2);
  assert(a[1] == 2);
  return 0;
}

// run:
// fails: 15 assertion
// steps: 13 14 5 7 8 6 15
// reason: 5 because 4 from < to
