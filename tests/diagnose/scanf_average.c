#include <stdio.h>

int main(void) {
  int n, sum = 0;
  if (scanf("%d", &n) != 1)
    return 1;
  for (int i = 0; i < n; i++) {
    int x;
    if (scanf("%d", &x) != 1)
      return 2;
    sum = sum - x;
  }
  printf("sum %d\n", sum);
  return 0;
}

// run:
// test: in 2 3 4\n | out sum 7\n
// test: in 1 5\n | out sum 5\n
// test: in 0\n | out sum 0\n
// fix: 11 sum = sum + x;
