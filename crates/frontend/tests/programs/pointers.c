#include <stdio.h>
#include <stdlib.h>

struct node { int value; struct node *next; };

static struct node *push(struct node *head, int value) {
  struct node *n = malloc(sizeof *n);
  n->value = value;
  n->next = head;
  return n;
}
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int apply(int (*f)(int), int x) { return f(x); }
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }

int main(int argc, char **argv) {
  struct node *head = 0;
  int values[8], grid[3][4], *end = values + 8;
  for (int i = 0; i < 8; i++) { values[i] = i * 7 % 8; head = push(head, values[i]); }
  swap(values, end - 1);
  qsort(values, 8, sizeof *values, by_value);
  for (int r = 0; r < 3; r++) for (int c = 0; c < 4; c++) grid[r][c] = r * 4 + c;
  int (*choose)(int) = argc > 1 ? twice : square;
  long sum = apply(choose, 5) + apply(abs, -4) + grid[argc][2] + (end - values);
  for (struct node *n = head; n; n = n->next) sum = sum * 3 + n->value;
  for (int *p = values; p < end; p++) printf("%d ", *p);
  while (head) { struct node *dead = head; head = head->next; free(dead); }
  char *text = *argv;
  while (*text) text++;
  printf("%ld %d\n", sum, text > *argv);
  return (int)(sum & 0x3f);
}
