#include <stdio.h>

int main(void) {
  int a[6] = {3, 8, 4, 8, 1, 8};
  int wanted, at = -1;
  if (scanf("%d", &wanted) != 1)
    return 1;
  for (int i = 0; i < 6; i++)
    if (a[i] == wanted)
      at = i;
  printf("first %d\n", at);
  return 0;
}

// run:
// test: in 8 | out first 1\n
// test: in 4 | out first 2\n
// test: in 7 | out first -1\n
// fix: 8 for (int i = 0; i < 6 && at < 0; i++)
// fix: 9 if (at < 0 && a[i] == wanted)
// faults: 8 9 10
