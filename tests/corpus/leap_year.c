#include <assert.h>

int leap(int year) {
  int result = 0;
  if (year % 4 == 0) {
    result = 1;
    if (year % 100 == 0)
      result = 0;
    if (year % 400 == 0)
      result = 0;
  }
  assert(year != 2000 || result == 1);
  return result;
}

// run: --entry leap --input year=2000
