#include <stdio.h>

int main(void) {
  double sum = 0.5;
  for (int i = 0; i < 3; i++)
    sum = sum + 0.5;
  if (sum > 2.0)
    printf("large\n");
  else
    printf("small\n");
  return 0;
}

// run:
// test: out large\n
// fix: 4 double sum = 1.0;
// slow: Z3 does not end in time
