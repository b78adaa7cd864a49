#include <assert.h>

int wheels(int kind) {
  int n = 0;
  switch (kind) {
  case 1:
    n = 2;
  case 2:
    n = 4;
    break;
  default:
    n = 0;
  }
  assert(kind != 1 || n == 2);
  return n;
}

// run: --entry wheels
// test: inputs kind=1
// fix: 7 n = 2; break;
// faults: 9
