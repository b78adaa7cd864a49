#include <stdio.h>

int main(void) {
  int n;
  if (scanf("%d", &n) != 1)
    return 1;
  for (int i = 0; i <= n; i++)
    printf("%d\n", i * i);
  return 0;
}

// run:
// test: in 3 | out 0\n1\n4\n
// test: in 1 | out 0\n
// fix: 7 for (int i = 0; i < n; i++)
