#include <assert.h>

static int clamp(int value, int low, int high) {
  if (value < low)
    return low;
  if (value > high)
    return low;
  return value;
}

int main(void) {
  int volume = 130;
  int balance = clamp(-7, -50, 50); // irrelevant
  volume = clamp(volume, 0, 100);
  assert(volume == 100);
  return balance;
}

// run:
// fails: 15 assertion
// steps: 12 14 7 14 15
// steps-trace: 14 7 14 15
// reasons: 7 value >= low; value > high
// precondition: true
