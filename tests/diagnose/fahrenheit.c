#include <assert.h>

static double fahrenheit(double celsius) {
  return celsius * 9.0 / 5.0 + 30.0;
}

int main(void) {
  double boiling = fahrenheit(100.0);
  assert(boiling == 212.0);
  return 0;
}

// run:
// fix: 4 return celsius * 9.0 / 5.0 + 32.0;
// sets: {4} {8}
// doubt: none
// slow: Z3 does not end in time
