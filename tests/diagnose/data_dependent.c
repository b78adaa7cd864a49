#include <assert.h>

int area(int width, int height) {
  int w = width + 1;
  int h = height;
  int product = w * h + 1;
  assert(w == width);
  assert(product == width * height);
  return product;
}

// run: --entry area
// test: inputs width=2 height=3
// fix: 4 int w = width;
// fix: 6 int product = w * h;
// sets: {4,6}
// conflicts t1: {4} {6}
