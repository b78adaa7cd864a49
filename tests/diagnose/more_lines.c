#include <stdio.h>

int main(void) {
  int n;
  if (scanf("%d", &n) != 1)
    return 1;
  for (int i = 1; i < n; i++)
    printf("%d\n", i * i);
  return 0;
}

// run:
// test: in 3 | out 1\n4\n9\n
// test: in 1 | out 1\n
// fix: 7 for (int i = 1; i <= n; i++)
