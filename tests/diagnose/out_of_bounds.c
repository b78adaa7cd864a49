#include <assert.h>

struct box {
  int a[4];
  int limit;
};

int main(void) {
  struct box box = {{1, 2, 3, 4}, 7};
  for (int i = 0; i <= 4; i++)
    box.a[i] = 0;
  assert(box.limit == 7);
  return box.a[0];
}

// run: --expect-status 0
// fix: 10 for (int i = 0; i < 4; i++)
