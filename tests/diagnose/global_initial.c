#include <assert.h>

int rate = 7;

int interest(int amount) {
  int result = amount * rate / 100;
  return result;
}

int main(void) {
  assert(interest(200) == 10);
  assert(interest(300) == 15);
  return 0;
}

// run:
// fix: 3 int rate = 5;
// sets: {3} {6} {7}
