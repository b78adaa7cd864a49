#include <assert.h>
#include <stddef.h>

struct node {
  int value;
  struct node *next;
};

static void insert_after(struct node *where, struct node *fresh) {
  where->next = fresh;
  fresh->next = where->next;
}

int main(void) {
  struct node last = {3, NULL}; // irrelevant
  struct node first = {1, &last}; // irrelevant
  struct node fresh = {2, NULL}; // irrelevant
  insert_after(&first, &fresh);
  assert(first.next->next == &last);
  return 0;
}

// run:
// fails: 19 assertion
// steps: 18 10 11 19
// max-steps: 8
// no-notes:
