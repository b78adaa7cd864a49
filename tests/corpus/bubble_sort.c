#include <assert.h>

static void sort(int *a, int n) {
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 2; j++)
      if (a[j] > a[j + 1]) {
        int t = a[j];
        a[j] = a[j + 1];
        a[j + 1] = t;
      }
}

int main(void) {
  int a[4] = {4, 3, 2, 1};
  sort(a, 4);
  assert(a[0] <= a[1]);
  assert(a[2] <= a[3]);
  return 0;
}

// run:
// fails: 17 assertion
// max-steps: 38
// frame: 5 a[3]
