#include <assert.h>
#include <stdbool.h>

static bool has_flag(int flags, int mask) {
  return flags & mask;
}

int main(void) {
  int flags = 0x100;
  bool wide = has_flag(flags, 0x100);
  char narrow = flags & 0x100;
  int count = 0;
  if (wide)
    count++;
  if (narrow)
    count++;
  assert(count == 2);
  return 0;
}

// run:
// fails: 17 assertion
// steps: 9 10 5 10 11 12 14 15 17
// frame: 15 count
// reason: 14 because 13 wide
