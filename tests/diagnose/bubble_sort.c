#include <assert.h>

int main(void) {
  int a[3] = {3, 2, 1};
  int n = 3;
  for (int i = 0; i < n - 2; i++)
    for (int j = 0; j + 1 < n - i; j++)
      if (a[j] > a[j + 1]) {
        int t = a[j];
        a[j] = a[j + 1];
        a[j + 1] = t;
      }
  for (int i = 0; i + 1 < n; i++)
    assert(a[i] <= a[i + 1]);
  return 0;
}

// run:
// fix: 6 for (int i = 0; i < n - 1; i++)
