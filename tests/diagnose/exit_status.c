#include <stdlib.h>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 0;
  if (n % 2)
    exit(n + 1);
  return n;
}

// run:
// test: args 3 | status 3
// test: args 4 | status 4
// fix: 6 exit(n);
