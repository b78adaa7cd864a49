#include <stdio.h>

int main(void) {
  int n = 3;
  printf("found %d matchs\n", n);
  printf("done\n");
  return 0;
}

// run:
// test: out found 3 matches\ndone\n
// fix: 5 printf("found %d matches\n", n);
// sets: {5}
