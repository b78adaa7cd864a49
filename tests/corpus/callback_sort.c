#include <assert.h>
#include <stdlib.h>

static int order(const void *a, const void *b) {
  int x = *(const int *)a, y = *(const int *)b;
  return x < y;
}

int main(void) {
  int a[3] = {1, 4, 3};
  qsort(a, 3, sizeof a[0], order);
  assert(a[0] <= a[1]);
  return 0;
}

// run:
// fails: 12 assertion a[0] <= a[1]
// steps: 10 11 12
