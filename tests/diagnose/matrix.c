#include <stdio.h>

int main(void) {
  int a[2][2] = {{1, 2}, {3, 4}};
  int b[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      b[i][j] = a[i][j];
  printf("%d %d\n%d %d\n", b[0][0], b[0][1], b[1][0], b[1][1]);
  return 0;
}

// run:
// test: out 1 3\n2 4\n
// fix: 8 b[j][i] = a[i][j];
