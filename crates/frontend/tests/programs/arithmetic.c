#include <stdio.h>

static unsigned long mix(signed char c, unsigned char u, short s, unsigned short v, int i, unsigned w, long l) {
  unsigned long h = 7;
  h = h * 31 + (unsigned long)(c + u);
  h = h * 31 + (unsigned long)(s * v);
  h = h * 31 + (unsigned long)(i / 3 - i % 5);
  h = h * 31 + (w / 7u ^ w % 11u);
  h = h * 31 + (unsigned long)((l << 3) | (l >> 2));
  h = h * 31 + (w >> 4 & ~w);
  h += (_Bool)i + !l + -c;
  return h;
}

static __int128 product(long a, long b) { return (__int128)a * b; }

int main(int argc, char **argv) {
  unsigned long total = 0;
  for (int i = -20; i < 20; i++) {
    total += mix((signed char)(i * 9), (unsigned char)(i * 17), (short)(i * 1001), (unsigned short)(i * 3001), i * 100003,
                 (unsigned)i * 70001u, i * 10000000019L);
    __int128 p = product(i * 0x123456789abL, argc + 0x7777777777L);
    total ^= (unsigned long)(p >> 64) ^ (unsigned long)p;
  }
  int shifted = argc << 5, compound = 3;
  compound += argc; compound *= 5; compound -= 2; compound <<= 1; compound |= 1; compound ^= 8; compound %= 13;
  shifted++;
  --compound;
  printf("%lu %d %d\n", total, shifted, compound);
  return (int)(total % 100);
}
