#include <assert.h>
#include <stdlib.h>

struct node {
  int key;
  int value;
  struct node *next;
};

static struct node *head;

static void put(int key, int value) {
  for (struct node *n = head; n; n = n->next)
    if (n->key == key) {
      struct node copy = *n;
      copy.value = value;
      return;
    }
  struct node *n = malloc(sizeof *n);
  n->key = key;
  n->value = value;
  n->next = head;
  head = n;
}

static int get(int key) {
  struct node *n = head;
  while (n->key != key)
    n = n->next;
  return n->value;
}

int main(void) {
  put(1, 10);
  put(2, 20);
  put(3, 30);
  put(2, 25);
  int got = get(2);
  assert(got == 25);
  return 0;
}

// run:
// fails: 39 assertion
// steps: 10 34 13 19 20 22 23 35 13 13 21 30 38 39
// steps-trace: 35 21 30 38 39
