#include <assert.h>

struct point { int x, y; };
struct rect { struct point min, max; };

static void move(struct point *p, int dx, int dy) {
  p->x += dx; // irrelevant
  p->y += dx;
}

int main(void) {
  struct rect r = {{0, 0}, {10, 10}};
  int dy = 5; // irrelevant
  move(&r.min, 1, dy); // irrelevant
  move(&r.max, 1, dy);
  assert(r.max.y == 15);
  return 0;
}

// run:
// fails: 16 assertion
// steps: 12 15 8 16
// no-notes:
