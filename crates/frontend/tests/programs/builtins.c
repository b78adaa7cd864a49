#include <stdio.h>
#include <stdlib.h>

static unsigned rotate(unsigned x, int by) { return __builtin_rotateleft32(x, by); }

int main(int argc, char **argv) {
  int sum, overflow = 0;
  unsigned usum;
  long product;
  for (int i = 28; i < 32; i++) {
    overflow += __builtin_add_overflow(1 << i, 0x70000000, &sum);
    overflow += __builtin_sub_overflow((unsigned)i, 30u, &usum);
    overflow += __builtin_mul_overflow((long)i << 40, 1L << (i - 9), &product);
    overflow += __builtin_mul_overflow(i * 0x7000000u, 17u, &usum);
  }
  unsigned long bits = 0x00f0ff00123UL * (unsigned long)argc;
  int counts = __builtin_popcountl(bits) * 10000 + __builtin_clzl(bits) * 100 + __builtin_ctzl(bits << 5);
  int ffs = __builtin_ffs(argc << 7), parity = __builtin_parity((unsigned)bits), sixteen = __builtin_bswap16((unsigned short)bits);
  if (__builtin_expect(argc > 5, 0)) abort();
  printf("%d %d %u %ld %d %d %d %d\n", overflow, sum, usum, product, counts, ffs, parity, sixteen);
  printf("%x %lx %x %d %ld\n", __builtin_bswap32((unsigned)bits), __builtin_bswap64(bits), rotate((unsigned)bits, 9), abs(argc - 5), labs(-7L));
  return __builtin_object_size(argv, 0) > 100;
}
