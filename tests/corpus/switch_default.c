#include <assert.h>

int days(int month, int leap) {
  int n;
  int quarter = month / 3; // irrelevant
  switch (month) {
  case 2:
    n = leap ? 29 : 28;
    break;
  case 4:
  case 6:
  case 9:
    n = 30;
    break;
  default:
    n = 31;
  }
  assert(month != 11 || n == 30);
  return n + quarter;
}

// run: --entry days --input month=11 --input leap=0
// fails: 18 assertion
// steps: 16 18
// reason: 16 because 6
// precondition: month == 11
