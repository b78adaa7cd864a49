/* Slow-down: arrays, structs and calls. */
#include <stdlib.h>

struct item { int key; struct item *next; };
static struct item *table[1024];

static struct item *find(int key) {
  for (struct item *i = table[key & 1023]; i; i = i->next)
    if (i->key == key)
      return i;
  return 0;
}

static void insert(int key) {
  struct item *i = malloc(sizeof *i);
  i->key = key;
  i->next = table[key & 1023];
  table[key & 1023] = i;
}

int main(void) {
  int found = 0;
  for (int k = 0; k < 4096; k++)
    insert(k * 17);
  for (int round = 0; round < 300; round++)
    for (int k = 0; k < 4096; k++)
      found += find(k * 17) != 0;
  return found == 0;
}
