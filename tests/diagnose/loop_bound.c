#include <assert.h>

int sum(int n) {
  int s = 0;
  for (int i = 1; i < n; i++)
    s = s + i;
  assert(s == n * (n + 1) / 2);
  return s;
}

// run: --entry sum
// test: inputs n=1
// test: inputs n=4
// fix: 5 for (int i = 1; i <= n; i++)
