#include <assert.h>

struct readings {
  int v[6];
  int n;
};

struct operations {
  int (*sum)(struct readings);
  int (*first)(struct readings);
};

static int sum(struct readings r) {
  int s = 0;
  for (int i = 0; i <= r.n; i++)
    s += r.v[i];
  return s;
}

static int first(struct readings r) {
  return r.v[0];
}

static const struct operations OPERATIONS = {.first = first, .sum = sum};

int main(void) {
  struct readings r = {{1, 2, 9}, 2};
  const struct operations *use = &OPERATIONS;
  int total = use->sum(r);
  assert(total == 3);
  return use->first(r);
}

// run:
// fails: 30 assertion total == 3
// tells: 27 29 14 16 16 16 17 29 30
