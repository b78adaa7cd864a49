#include <stddef.h>

struct handler { int code; int (*run)(int); };

static int greet(int n) { return n + 1; }

static struct handler handlers[] = {{1, greet}, {2, NULL}};

static int dispatch(int code) {
  for (int i = 0; i < 2; i++)
    if (handlers[i].code == code)
      return handlers[i].run(code);
  return -1;
}

int main(void) {
  int a = dispatch(1); // irrelevant
  int b = dispatch(2);
  return a + b;
}

// run:
// fails: 12 signal calls a function through handlers[1].run, which is NULL
// steps: 7 18 10 10 12
// reason: 12 because 11
