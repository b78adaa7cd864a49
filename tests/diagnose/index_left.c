#include <assert.h>

int main(void) {
  int a[4] = {0, 0, 0, 0};
  int n = 3;
  for (int i = 0; i < n; i++)
    a[i + 1] = i + 5;
  assert(a[0] == 5);
  assert(a[1] == 6);
  assert(a[2] == 7);
  assert(a[3] == 0);
  return 0;
}

// run:
// fix: 7 a[i] = i + 5;
