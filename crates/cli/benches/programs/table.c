/* Long runs: n words counted in a hash table. It fails by a pointer that was never set, by a value set early
   (-D EARLY) or by one set late (-D LATE). */
#include <assert.h>
#include <stdlib.h>

#define BUCKETS 1024

struct entry {
  unsigned key;
  int count;
  struct entry *next;
};

static struct entry *buckets[BUCKETS];
static int *limit;
static int even;

static struct entry *lookup(unsigned key) {
  struct entry *e = buckets[key % BUCKETS];
  while (e && e->key != key)
    e = e->next;
  return e;
}

static void add(unsigned key) {
  struct entry *e = lookup(key);
  if (!e) {
    e = malloc(sizeof *e);
    e->key = key;
    e->count = 0;
    e->next = buckets[key % BUCKETS];
    buckets[key % BUCKETS] = e;
  }
  e->count++;
}

static void configure(int n) {
  if (n < 0)
    limit = malloc(sizeof *limit);
  even = n % 2 == 0;
}

int work(int n) {
  configure(n);
  unsigned x = 1;
  for (int i = 0; i < n; i++) {
    x = x * 1664525 + 1013904223;
    add((x >> 12) % 5000);
  }
#if defined(EARLY)
  assert(!even);
#elif defined(LATE)
  int last = lookup((x >> 12) % 5000)->count;
  assert(last == 0);
#else
  *limit = n;
#endif
  return n;
}
