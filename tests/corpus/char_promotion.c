#include <assert.h>

int checksum(int a, int b) {
  signed char sum = a + b;
  short wide = sum * 2;
  int kept = a; // irrelevant
  assert(wide >= 0);
  return wide + kept;
}

// run: --entry checksum --input a=100 --input b=60
// fails: 7 assertion
// steps: 4 5 7
