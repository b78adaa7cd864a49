#include <assert.h>

int values[5] = {3, 1, 4, 1, 5};

int sum(int count) {
  int total = 0;
  for (int i = 1; i < count; i++)
    total += values[i];
  return total;
}

int main(void) {
  int expected = 14;
  int got = sum(5);
  assert(got == expected);
  return 0;
}

// run:
// fails: 15 assertion got == expected
// steps: 3 13 14 6 7 8 7 8 7 8 7 8 7 7 9 14 15
// frame: 7 total
// precondition: true
// no-notes:
