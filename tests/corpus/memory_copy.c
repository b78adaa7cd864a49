#include <assert.h>
#include <string.h>

struct packet { int length; char data[8]; };

int main(void) {
  struct packet a, b;
  memset(&a, 0, sizeof a);
  a.length = 3;
  a.data[2] = 'z';
  memset(&b, 0x55, sizeof b);
  memcpy(b.data, a.data, 2);
  b.length = a.length;
  assert(b.data[2] == 'z');
  return 0;
}

// run:
