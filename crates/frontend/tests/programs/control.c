#include <stdio.h>

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

static int collatz(int n) {
  int steps = 0;
again:
  if (n == 1) return steps;
  n = n % 2 ? 3 * n + 1 : n / 2;
  steps++;
  goto again;
}

static const char *name(int day) {
  switch (day) {
    case 0: return "sun";
    case 1: case 2: case 3: return "early";
    case -1: day++; /* fall through */
    case 4: break;
    default: return day > 6 ? "never" : "late";
  }
  return "mid";
}

int main(int argc, char **argv) {
  int i = 0, both = 0;
  do {
    if (i == 5) continue;
    if (i > 9 && argc || i == 100) break;
    both += i && argc > 0;
  } while (i++ < 20);
  for (int day = -2; day < 9; day++) printf("%s ", name(day));
  while (i) { i--; if (!(i % 4)) both += fib(i); }
  printf("%d %d\n", both, collatz(27));
  return both % 7;
}
