#include <assert.h>
#include <stdlib.h>

struct vector { int *items; int size, capacity; };

static void append(struct vector *v, int item) {
  if (v->size == v->capacity) {
    int *bigger = calloc(v->capacity * 2, sizeof *bigger);
    for (int i = 1; i < v->size; i++)
      bigger[i] = v->items[i];
    free(v->items);
    v->items = bigger;
    v->capacity *= 2;
  }
  v->items[v->size++] = item;
}

int main(void) {
  struct vector v = {malloc(2 * sizeof(int)), 0, 2};
  append(&v, 7);
  append(&v, 8);
  append(&v, 9);
  assert(v.items[0] == 7);
  v.items = realloc(v.items, 16 * sizeof(int));
  free(v.items);
  return 0;
}

// run:
// fails: 23 assertion
// steps: 19 7 15 7 15 8 23
// frame: 7 v->capacity
// reason: 8 because 7
