#include <assert.h>

int mask(int bits) {
  int m = 1, n = 0;
  for (m <<= bits, n = bits; n > 0; n--, m |= 1 << n)
    ;
  int low = m & 1;
  m ^= 1 << bits;
  assert(m == (1 << bits) - 1);
  return low;
}

// run: --entry mask --input bits=3
