#include <assert.h>

int leap(int year) {
  int is = 0;
  if (year % 4 == 0 && (year % 100 == 0 || year % 400 == 0))
    is = 1;
  assert(is == (year % 400 == 0 || (year % 4 == 0 && year % 100 != 0)));
  return is;
}

// run: --entry leap
// test: inputs year=2024
// test: inputs year=1900
// test: inputs year=2000
// fix: 5 if (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0))
// sets t1: {4} {5}
// sets t2: {5} {6}
// sets: {5} {4,6}
