#include <assert.h>

static unsigned long residue(unsigned long a, unsigned long b, unsigned long m) {
  return (unsigned long)((unsigned __int128)a * b % m);
}

int main(void) {
  unsigned long a = 1ul << 40;
  unsigned long r = residue(a, a << 1, 1000007);
  assert(r == 5);
  return 0;
}

// run:
// fails: 10 assertion r == 5
// tells: 8 9 4 9 10
