#include <assert.h>

#define SIZE 4

struct ring { unsigned char data[SIZE]; unsigned head, tail, count; };

static int put(struct ring *r, unsigned char c) {
  if (r->count > SIZE)
    return 0;
  r->data[r->head] = c;
  r->head = (r->head + 1) % SIZE;
  r->count++;
  return 1;
}

static int get(struct ring *r) {
  unsigned char c = r->data[r->tail];
  r->tail = (r->tail + 1) % SIZE; // irrelevant
  r->count--; // irrelevant
  return c;
}

int main(void) {
  struct ring r = {{0}, 0, 0, 0};
  for (int i = 0; i < 5; i++)
    put(&r, 'a' + i);
  int first = get(&r);
  assert(first == 'a');
  return 0;
}

// run:
// fails: 28 assertion
// steps: 24 25 12 25 12 25 12 25 12 25 26 10 17 20 27 28
// reason: 10 because 8
