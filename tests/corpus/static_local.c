#include <assert.h>

static int next_id(void) {
  static int id = 0;
  int current = id;
  if (current != 1)
    id = current + 1;
  return current;
}

int main(void) {
  int a = next_id();
  int b = next_id();
  int c = next_id();
  assert(b != c);
  return a;
}

// run:
// fails: 15 assertion
// steps: 4 5 7 5 6 8 13 5 8 14 15
// frame: 6 id
