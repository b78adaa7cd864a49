#include <limits.h>

int ratio(int a, int b) {
  int scaled = a; // irrelevant
  int offset = b + 3; // irrelevant
  if (b < 0)
    scaled = a / b;
  return scaled + offset;
}

// run: --entry ratio --input a=-2147483648 --input b=-1
// fails: 7 signal
// steps: 7
// reasons: 7 b < 0
