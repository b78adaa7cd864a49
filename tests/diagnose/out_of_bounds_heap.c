#include <stdio.h>
#include <stdlib.h>

int main(void) {
  int n = 3;
  int *squares = malloc(n * sizeof(int));
  if (!squares)
    return 1;
  for (int i = 1; i <= n; i++)
    squares[i] = i * i;
  printf("%d\n", squares[2]);
  free(squares);
  return 0;
}

// run:
// test: out 9\n
// undefined: may
// fix: 10 squares[i - 1] = i * i;
