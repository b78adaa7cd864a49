#include <stdio.h>
#include <stdlib.h>

static int gcd(int a, int b) {
  while (b != 0) {
    int rest = a % b;
    a = rest;
    b = b;
    if (rest == 0)
      return b;
    a = b;
    b = rest + 1;
  }
  return a;
}

int main(int argc, char **argv) {
  if (argc < 3)
    return 2;
  printf("%d\n", gcd(atoi(argv[1]), atoi(argv[2])));
  return 0;
}

// run:
// reference:
// test: args 12 8
// test: args 9 6
// fix: 12 b = rest;
// slow: Z3 takes more than 20 seconds
