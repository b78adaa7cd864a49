#include <limits.h>

int ratio(int a, int b) {
  int scaled = a;
  int offset = b + 3;
  if (b < 0)
    scaled = a / b;
  return scaled + offset;
}

// run: --entry ratio --input a=-2147483648 --input b=-1
