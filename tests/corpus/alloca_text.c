#include <alloca.h>
#include <assert.h>

int main(void) {
  int n = 3;
  char *p = alloca(n);
  p[0] = 'a';
  p[1] = 'b';
  p[n - 1] = 0;
  int length = 0;
  while (p[length])
    length++;
  assert(length == n);
  return 0;
}

// run:
// fails: 13 assertion length == n
// tells: 5 7 8 9 12 12 13
// reason: 12 because 11 p[0] != 0
// reason: 12 because 11 p[1] != 0
