#include <stdio.h>

int main(void) {
  int n = 0, sum = 0, x;
  while (scanf("%d", &x) == 1 && x >= 0) {
    sum += x;
    n++;
  }
  if (n >= 0)
    printf("%d\n", sum / n);
  else
    printf("none\n");
  return 0;
}

// run:
// test: in -1\n | out none\n
// test: in 4 6 -1\n | out 5\n
// fix: 9 if (n > 0)
