#include <assert.h>

int mask(int bits) {
  int m = 1, n = 0;
  for (m <<= bits, n = bits; n > 0; m |= 1 << n, n--)
    ;
  int low = m & 1; // irrelevant
  m ^= 1 << bits;
  assert(m == (1 << bits) - 1);
  return low;
}

// run: --entry mask --input bits=3
// fails: 9 assertion
// steps: 4 5 5 5 5 5 5 5 5 8 9
