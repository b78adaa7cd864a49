#include <assert.h>

static int digits(int n) {
  if (n < 100)
    return 1;
  return 1 + digits(n / 10);
}

int count(int n) {
  int d = digits(n);
  assert(n < 10 ? d == 1 : n < 100 ? d == 2 : n < 1000 ? d == 3 : d > 3);
  return d;
}

// run: --entry count
// test: inputs n=345
// test: inputs n=7
// test: inputs n=12
// fix: 4 if (n < 10)
