#include <assert.h>

int leap(int year) {
  int result = 0; // irrelevant
  if (year % 4 == 0) {
    result = 1; // irrelevant
    if (year % 100 == 0)
      result = 0; // irrelevant
    if (year % 400 == 0)
      result = 0;
  }
  assert(year != 2000 || result == 1);
  return result;
}

// run: --entry leap --input year=2000
// fails: 12 assertion
// steps: 10 12
// reason: 10 because 9 year % 400 == 0
// no-notes:
