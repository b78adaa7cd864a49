#include <assert.h>

int find(const int *a, int n, int key) {
  int at = -1;
  int i = 0;
  int looked = 0; // irrelevant
  while (i < n) {
    looked++; // irrelevant
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
// fails: 21 assertion
// steps: 19 20 4 5 11 13 9 15 20 21
// steps-trace: 4 15 20 21
// frame: 11 at
// frame: 9 at
// precondition: true
