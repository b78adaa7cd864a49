#include <assert.h>

/* Counts the even numbers below n. */
int evens(int n) {
  int i = 0, count = 0;
  do {
    i++;
    if (i % 2 != 0)
      continue;
    count++;
  } while (i < n);
  return count;
}

int main(void) {
  int c = evens(4);
  assert(c == 1);
  return 0;
}

// run:
// fails: 17 assertion
// steps: 16 5 5 7 8 7 10 7 8 7 10 11 12 16 17
// reason: 7 because 11 i < n
// frame: 8 count
// frame: 11 count
