#include <assert.h>

#define MIN(a, b) a < b ? a : b
#define FEE(x) x + 2

int withdraw(int balance, int amount) {
  int fee = FEE(1) * 2;
  int taken = MIN(balance, amount);
  int left = balance - taken - fee;
  assert(fee == 6);
  return left;
}

// run: --entry withdraw --input balance=100 --input amount=30
