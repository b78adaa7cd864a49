#include <stdio.h>
struct node { int value; struct node *next; };
static int third(struct node *n) { return n->next->next->value; }
int main(int argc, char **argv) {
  struct node a = {1, 0}, b = {2, &a};
  fflush(stdout);
  return third(&b);
}
