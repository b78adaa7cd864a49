#include <assert.h>

static void swap(int *a, int *b) {
  *a = *a + *b; // irrelevant
  *b = *a - *b; // irrelevant
  *a = *a - *b;
}

int main(void) {
  int cells[3] = {1, 2, 3}; // irrelevant
  int i = 1, j = 1; // irrelevant
  swap(&cells[i], &cells[j]);
  assert(cells[1] == 2);
  return 0;
}

// run:
// fails: 13 assertion
// steps: 6 13
// precondition: true
