#include <assert.h>

int cost(int weight) {
  int sum = weight * 2;
  if (weight > 100)
    sum = sum + 15;
  assert(sum == (weight > 10 ? weight * 2 + 20 : weight * 2));
  return sum;
}

// run: --entry cost
// test: inputs weight=20
// test: inputs weight=50
// fix: 5 if (weight > 10)
// fix: 6 sum = sum + 20;
// masked: 6
// sets: {4} {5,6}
