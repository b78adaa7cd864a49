#include <assert.h>
#include <string.h>

struct packet { int length; char data[8]; };

int main(void) {
  struct packet a, b;
  memset(&a, 0, sizeof a); // irrelevant
  a.length = 3; // irrelevant
  a.data[2] = 'z'; // irrelevant
  memset(&b, 0x55, sizeof b);
  memcpy(b.data, a.data, 2); // irrelevant
  b.length = a.length; // irrelevant
  assert(b.data[2] == 'z');
  return 0;
}

// run:
// fails: 14 assertion
// steps: 11 14
// no-notes:
