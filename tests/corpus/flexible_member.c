#include <assert.h>
#include <stdlib.h>

struct stack {
  long top;
  int data[];
};

int main(void) {
  struct stack *s = malloc(sizeof *s + 3 * sizeof(int));
  if (!s)
    return 1;
  s->top = 0;
  s->data[s->top++] = 5;
  s->data[s->top++] = 8;
  s->data[s->top] = 2;
  int last = s->data[s->top - 1];
  free(s);
  assert(last == 2);
  return 0;
}

// run:
// fails: 19 assertion last == 2
// steps: 10 15 17 19
// invariant: 15 s->data[1] != 2
