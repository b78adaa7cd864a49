#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 3)
    return 1;
  int a = atoi(argv[1]);
  int b = atoi(argv[1]);
  if (a > b)
    printf("%d\n", a);
  else
    printf("%d\n", b);
  return 0;
}

// run:
// reference:
// test: args 1 2
// test: args 5 3
// test: args 2 9
// fix: 8 int b = atoi(argv[2]);
