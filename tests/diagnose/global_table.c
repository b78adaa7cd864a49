#include <stdio.h>

static const int days[12] = {31, 28, 31, 31, 31, 30, 31, 31, 30, 31, 30, 31};

int main(void) {
  int sum = 0;
  for (int month = 0; month < 12; month++)
    sum += days[month];
  printf("%d\n", sum);
  return 0;
}

// run:
// test: out 365\n
// fix: 3 static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
// slow: Z3 takes more than 20 seconds
