#include <assert.h>

int checksum(int a, int b) {
  signed char sum = a + b;
  short wide = sum * 2;
  int kept = a;
  assert(wide >= 0);
  return wide + kept;
}

// run: --entry checksum --input a=100 --input b=60
