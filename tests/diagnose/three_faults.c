#include <stdio.h>

int main(void) {
  int n, low = 1, high = 0, count = 1;
  int x;
  if (scanf("%d", &n) != 1)
    return 1;
  for (int i = 0; i < n; i++) {
    if (scanf("%d", &x) != 1)
      return 1;
    if (i == 0 || x < low)
      low = x + 1;
    if (i == 0 || x > high)
      high = x;
    count = count + 1;
  }
  printf("%d\n", low);
  printf("%d\n", low);
  printf("%d\n", count);
  return 0;
}

// run:
// test: in 3 5 2 8\n | out 2\n8\n3\n
// test: in 1 4\n | out 4\n4\n1\n
// fix: 4 int n, low = 1, high = 0, count = 0;
// fix: 12 low = x;
// fix: 18 printf("%d\n", high);
