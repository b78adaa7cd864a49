#include <stdio.h>
#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node *head = NULL;
  int x;
  while (scanf("%d", &x) == 1) {
    struct node *n = malloc(sizeof *n);
    if (!n)
      return 1;
    n->value = x;
    n->next = NULL;
    head = n;
  }
  for (struct node *p = head; p; p = p->next)
    printf("%d ", p->value);
  printf("\n");
  return 0;
}

// run:
// test: in 1 2 3\n | out 3 2 1 \n
// fix: 17 n->next = head;
