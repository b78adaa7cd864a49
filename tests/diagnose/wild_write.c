#include <stdio.h>

int main(void) {
  int table[4] = {1, 2, 3, 4};
  int n;
  if (scanf("%d", &n) != 1)
    return 1;
  int at = n * 100000000;
  table[at] = 9;
  printf("%d\n", table[2]);
  return 0;
}

// run:
// test: in 2 | out 9\n
// fix: 8 int at = n;
