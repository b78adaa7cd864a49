#include <assert.h>

struct pair {
  int a, b;
};

struct triple {
  int a, b, c;
};

static struct pair two(int x) {
  struct pair p = {x, x + 1};
  return p;
}

static struct triple three(int x) {
  if (x > 1)
    return (struct triple){x, x + 1, x + 2};
  return (struct triple){0};
}

static int sum(struct triple t, struct pair p) {
  return t.a + t.c + p.b;
}

int main(void) {
  int k = 2;
  int s = sum(three(k), two(k)) + sum(three(3), two(1));
  assert(s < 19);
  return 0;
}

// run:
// fails: 29 assertion s < 19
// tells: 27 18 12 13 23 28 29
// invariant: 23 sum#1() >= 9 && sum#2() >= 10
// no-notes:
