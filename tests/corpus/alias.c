#include <assert.h>

static void swap(int *a, int *b) {
  *a = *a + *b;
  *b = *a - *b;
  *a = *a - *b;
}

int main(void) {
  int cells[3] = {1, 2, 3};
  int i = 1, j = 1;
  swap(&cells[i], &cells[j]);
  assert(cells[1] == 2);
  return 0;
}

// run:
