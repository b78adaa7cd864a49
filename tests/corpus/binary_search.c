#include <assert.h>

static int search(const int *a, int n, int key) {
  int low = 0, high = n - 1;
  while (low < high) {
    int mid = low + (high - low) / 2;
    if (a[mid] < key)
      low = mid + 1;
    else
      high = mid - 1;
  }
  return a[low] == key ? low : -1;
}

int main(void) {
  int a[] = {1, 3, 5, 7};
  int at = search(a, 4, 3);
  assert(at == 1);
  return 0;
}

// run:
// fails: 18 assertion
// steps: 16 17 12 17 18
// reason: 12 because 12
