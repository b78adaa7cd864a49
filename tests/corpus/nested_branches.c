#include <assert.h>

/* Shipping cost in cents; orders over 10000 ship free. */
int shipping(int total, int weight, int express) {
  int cost = 500; // irrelevant
  int limit = 10000;
  if (total < limit) {
    if (weight > 20) {
      cost = 900;
      if (express)
        cost = cost * 2;
    } else {
      cost = 0;
    }
  } else {
    cost = 0;
  }
  int weeks = weight / 7; // irrelevant
  assert(cost > 0 || total >= limit);
  return cost + weeks;
}

// run: --entry shipping --input total=50 --input weight=3 --input express=1
// fails: 19 assertion
// steps: 6 13 19
// reasons: 13 total < limit; weight <= 20
// precondition: total <= 9999 && weight <= 20
// no-notes:
