#include <stdio.h>

struct pair { int a, b; };

static int maybe(int set) {
  int value;
  struct pair pair;
  pair.a = set;
  if (set) { value = 3; pair.b = 4; }
  int sum = pair.a;
  if (set > 1) sum += value + pair.b;
  return sum;
}
static int loop(int n) {
  int last;
  for (int i = 0; i < n; i++) last = i;
  if (n > 0) return last;
  return -1;
}

int main(int argc, char **argv) {
  printf("%d %d %d %d\n", maybe(0), maybe(2), loop(0), loop(5));
  return 0;
}
