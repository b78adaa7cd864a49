#include <assert.h>
#include <string.h>

#define SIZE 8

struct entry {
  const char *name;
  int number;
};

static struct entry table[SIZE];

static unsigned hash(const char *s) {
  unsigned h = 5381;
  while (*s)
    h = h * 33 + (unsigned char)*s++;
  return h;
}

static void insert(const char *name, int number) {
  unsigned i = hash(name) % SIZE;
  while (table[i].name)
    i = (i + 1) % SIZE;
  table[i].name = name;
  table[i].number = number;
}

static int lookup(const char *name) {
  unsigned i = hash(name) % (SIZE - 1);
  return table[i].number;
}

int main(void) {
  insert("ann", 7);
  insert("bob", 9);
  insert("eve", 4);
  int n = lookup("bob");
  assert(n == 9);
  return 0;
}

// run:
// fails: 38 assertion
// steps: 11 30 37 38
// max-steps: 8
