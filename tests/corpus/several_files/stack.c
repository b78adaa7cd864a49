#include "stack.h"

void push(struct stack *s, int item) {
  if (s->top < CAPACITY)
    s->items[s->top++] = item;
}

int pop(struct stack *s) {
  return s->items[s->top--];
}
