/* Long runs: a list of a hundred nodes that is turned round n times. It fails by a pointer that was never set, by a
   value set early (-D EARLY) or by one set late (-D LATE). */
#include <assert.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

static struct node *spare;

static struct node *push(struct node *head, int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = head;
  return n;
}

static int sum(struct node *head) {
  int s = 0;
  for (; head; head = head->next)
    s += head->value;
  return s;
}

static struct node *turned(struct node *head) {
  struct node *r = NULL;
  while (head) {
    struct node *next = head->next;
    head->next = r;
    r = head;
    head = next;
  }
  return r;
}

int work(int n) {
  int flag = n % 2 == 0 ? 3 : 5;
  struct node *head = NULL;
  for (int i = 0; i < 100; i++)
    head = push(head, i);
  if (flag == 5)
    spare = head;
  int total = 0;
  for (int i = 0; i < n; i++) {
    head = turned(head);
    total = (total + sum(head)) % 1000;
  }
#if defined(EARLY)
  assert(flag == 5);
#elif defined(LATE)
  assert(total < 0);
#else
  total += spare->value;
#endif
  return total;
}
