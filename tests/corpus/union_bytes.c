#include <assert.h>

union word {
  unsigned value;
  unsigned char bytes[4];
};

int main(void) {
  union word w;
  int high = 3;
  w.value = 0x01020304; // irrelevant
  w.bytes[high] = 0xff;
  w.bytes[0] = 0; // irrelevant
  assert(w.value < 0x02000000);
  return 0;
}

// run:
// fails: 14 assertion
// steps: 12 14
// no-notes:
