#include <assert.h>

int main(void) {
  float price = 0.1f;
  float sum = 0;
  int items = 3;
  sum += price;
  sum += price;
  sum += price;
  assert(sum == 0.3);
  return items;
}

// run:
