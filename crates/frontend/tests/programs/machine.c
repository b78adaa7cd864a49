#include <stdatomic.h>
#include <stdio.h>

volatile int port;
_Atomic int shared;
typedef int four __attribute__((vector_size(32)));

static int assembly(int x) {
  int y;
  __asm__("leal 1(%1), %0" : "=r"(y) : "r"(x));
  return y;
}

int main(int argc, char **argv) {
  port = argc;
  int seen = port + port;
  shared = 4;
  atomic_fetch_add(&shared, 3);
  atomic_fetch_or(&shared, 8);
  int expected = 15;
  int swapped = atomic_compare_exchange_strong(&shared, &expected, 20);
  _Atomic long local = 1;
  local += shared;
  four v = {1, 2, 3, 4, 5, 6, 7, argc}, w = v + v;
  _Complex double c = 1.0 + argc * 2.0i;
  c = c * c;
  printf("%d %d %d %ld %d %g\n", seen, swapped, assembly(seen), (long)local, w[3] + w[7], __real__ c);
  return expected;
}
