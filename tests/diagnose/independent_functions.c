#include <stdio.h>

static int twice(int x) {
  return x + x + 1;
}

static int half(int x) {
  return x / 2 - 1;
}

int main(void) {
  char what;
  int x;
  if (scanf("%c %d", &what, &x) != 2)
    return 1;
  if (what == 't')
    printf("%d\n", twice(x));
  else
    printf("%d\n", half(x));
  return 0;
}

// run:
// test: in t 4\n | out 8\n
// test: in h 10\n | out 5\n
// fix: 4 return x + x;
// fix: 8 return x / 2;
