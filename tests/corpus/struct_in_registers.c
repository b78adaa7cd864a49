#include <assert.h>

struct item {
  int id;
  double price;
};

struct colour {
  float r, g, b;
};

static struct item cheaper(struct item i) {
  i.price = i.price / 2;
  return i;
}

static struct colour dim(struct colour c, float k) {
  c.r *= k; // irrelevant
  c.g *= k; // irrelevant
  return c;
}

int main(void) {
  struct item i = {7, 10.0};
  struct colour c = {1.0f, 0.5f, 0.8f};
  i = cheaper(i);
  c = dim(c, 0.5f);
  assert(c.b * i.price < 3.0);
  return 0;
}

// run:
// fails: 28 assertion
// steps: 24 25 26 13 14 26 27 20 27 28
