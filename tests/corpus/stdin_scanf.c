#include <assert.h>
#include <stdio.h>

int main(void) {
  int width = 0, height = 0, depth = 1; // irrelevant
  int read = scanf("%d %d %d", &width, &height, &depth);
  int area = width * width;
  if (read == 3)
    area *= depth;
  assert(area == width * height);
  return 0;
}

// run:
// stdin: 3 4
// fails: 10 assertion
// steps: 6 7 8 10
// frame: 8 area
// precondition: true
