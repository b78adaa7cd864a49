#include <assert.h>

static double sum(const double *v, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += v[i];
  return s;
}

int main(void) {
  double v[] = {10, 9.5};
  double s = sum(v, 2);
  assert(s != 19.5);
  return 0;
}

// run:
// fails: 13 assertion s != 19.5
// tells: 11 4 6 6 7 12 13
