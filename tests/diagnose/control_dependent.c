#include <assert.h>

int fee(int age) {
  int amount = 10;
  if (age > 12)
    amount = 6;
  assert(amount == (age < 12 ? 5 : 10));
  return amount;
}

// run: --entry fee
// test: inputs age=10
// test: inputs age=20
// fix: 5 if (age < 12)
// fix: 6 amount = 5;
// sets t1: {4} {5,6}
// sets t2: {5} {6}
// sets: {4,5} {4,6} {5,6}
// product: {4,5} {4,6} {5,6}
