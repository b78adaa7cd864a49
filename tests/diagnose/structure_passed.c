#include <assert.h>

struct pair {
  int first;
  int second;
};

static struct pair swap(struct pair p) {
  struct pair q;
  q.first = p.second;
  q.second = p.second;
  return q;
}

int main(void) {
  struct pair p = {1, 2};
  struct pair q = swap(p);
  assert(q.first == 2);
  assert(q.second == 1);
  return 0;
}

// run:
// fix: 11 q.second = p.first;
