#include <assert.h>

static int length(const char *s) {
  int n = 0;
  while (s[n])
    n++;
  return n;
}

static void copy(char *to, const char *from, int size) {
  int i;
  for (i = 0; i < size - 1 && from[i]; i++)
    to[i] = from[i];
  to[i] = 0;
}

int main(void) {
  char name[4];
  copy(name, "hello", sizeof name);
  int n = length(name);
  assert(n == 5);
  return 0;
}

// run:
// fails: 21 assertion
// steps: 19 12 13 12 13 12 13 14 4 6 6 6 5 7 20 21
// frame: 5 n
// precondition: true
