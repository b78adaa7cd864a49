#include <stdio.h>

int main(void) {
  int n;
  scanf("%d", &n);
  if (n > 0)
    printf("positive\n");
  else
    printf("negativ\n");
  return 0;
}

// run:
// test: in 5 | out positive\n
// test: in -5 | out negative\n
// fix: 9     printf("negative\n");
// sets: {9} {6,7}
// doubt: none
