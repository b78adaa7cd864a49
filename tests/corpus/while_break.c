#include <assert.h>

int find(const int *a, int n, int key) {
  int at = -1;
  int i = 0;
  int looked = 0;
  while (i < n) {
    looked++;
    if (a[i] > key)
      break;
    if (a[i] == key)
      at = i;
    i++;
  }
  return at;
}

int main(void) {
  int a[4] = {2, 9, 7, 5};
  int at = find(a, 4, 7);
  assert(at >= 0);
  return 0;
}

// run:
