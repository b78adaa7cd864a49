#include <assert.h>

#define MIN(a, b) a < b ? a : b
#define FEE(x) x + 2

int withdraw(int balance, int amount) {
  int fee = FEE(1) * 2;
  int taken = MIN(balance, amount); // irrelevant
  int left = balance - taken - fee; // irrelevant
  assert(fee == 6);
  return left;
}

// run: --entry withdraw --input balance=100 --input amount=30
// fails: 10 assertion
// steps: 7 10
// precondition: true
