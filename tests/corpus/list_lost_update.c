#include <assert.h>
#include <stddef.h>

struct node {
  int key, value;
  struct node *next;
};

static int set(struct node *list, int key, int value) {
  for (struct node *n = list; n; n = n->next)
    if (n->key == key) {
      struct node found = *n;
      found.value = value;
      return 1;
    }
  return 0;
}

static int get(const struct node *list, int key) {
  const struct node *n = list;
  while (n->key != key)
    n = n->next;
  return n->value;
}

int main(void) {
  struct node b = {2, 20, NULL};
  struct node a = {1, 10, &b}; // irrelevant
  int done = set(&a, 2, 25); // irrelevant
  int value = get(&a, 2);
  assert(value == 25);
  return done;
}

// run:
// fails: 31 assertion
// steps: 27 23 30 31
// max-steps: 8
// no-notes:
