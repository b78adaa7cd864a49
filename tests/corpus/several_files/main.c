#include "stack.h"
#include <assert.h>

int main(void) {
  struct stack s = {{0}, 0};
  push(&s, 11);
  push(&s, 22);
  int item = pop(&s);
  assert(item == 22);
  return 0;
}

// run:
// fails: 9 assertion
// steps: 5 stack.c:9 8 9
