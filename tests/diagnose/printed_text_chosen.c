#include <stdio.h>

int main(void) {
  int n;
  if (scanf("%d", &n) != 1)
    return 1;
  if (n > 1)
    printf("positive\n");
  else
    printf("not positive\n");
  return 0;
}

// run:
// test: in 1 | out positive\n
// test: in 0 | out not positive\n
// fix: 7 if (n > 0)
