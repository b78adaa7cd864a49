#include <assert.h>

int flag(int mode) {
  int result;
  int extra = 4;
  if (mode == 1)
    result = extra;
  if (mode == 2)
    result = 8;
  assert(result == 4 || result == 8);
  return result;
}

// run: --entry flag --input mode=3
