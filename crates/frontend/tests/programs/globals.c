#include <stdio.h>

int counter = 3;
static int table[4] = {10, 20, 30, 40};
const char *words[] = {"zero", "one", "two"};
const double half = 0.5;
struct pair { int a; const char *b; } pairs[2] = {{1, "x"}, {2, "y"}};
int *inside = &table[2];
_Thread_local int own = 5;

static int next(void) {
  static int state = 100;
  state += counter;
  return state;
}
static int other(void) {
  static int state;
  return ++state;
}

int main(int argc, char **argv) {
  table[argc] += next();
  *inside += next() + other() + other();
  pairs[1].a = counter++;
  own += argc;
  fprintf(stdout, "%s %d %d %d %s %g %d\n", words[argc], table[1], table[2], pairs[1].a, pairs[argc - 1].b, half, own);
  return counter;
}
