#include <assert.h>

int main(void) {
  float price = 0.1f; // irrelevant
  float sum = 0; // irrelevant
  int items = 3; // irrelevant
  sum += price; // irrelevant
  sum += price; // irrelevant
  sum += price; // irrelevant
  assert(sum == 0.3);
  return items;
}

// run:
// fails: 10 assertion
// steps: 10
