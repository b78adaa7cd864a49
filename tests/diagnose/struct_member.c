#include <assert.h>

struct point {
  int x, y;
};

static int area(const struct point *a, const struct point *b) {
  int width = b->x - a->x;
  int height = b->y - a->x;
  return width * height;
}

int main(void) {
  struct point a = {1, 2};
  struct point b = {4, 6};
  int found = area(&a, &b);
  assert(found == 12);
  return 0;
}

// run:
// fix: 9 int height = b->y - a->y;
