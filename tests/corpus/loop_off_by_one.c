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
