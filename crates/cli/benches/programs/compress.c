/* Long runs: a compressor over a buffer of n bytes. It fails by a pointer that was never set, by a value set early
   (-D EARLY) or by one set late (-D LATE). */
#include <assert.h>
#include <stdlib.h>

#define HASH 4096
#define WINDOW 8192

struct state {
  unsigned char *in, *out;
  int size, used;
  int head[HASH], prev[WINDOW];
  int *statistics;
  unsigned check;
};

static unsigned hash(const unsigned char *p) { return ((p[0] << 6) ^ (p[1] << 3) ^ p[2]) & (HASH - 1); }

static int common(struct state *s, int at, int from) {
  int n = 0;
  while (at + n < s->size && n < 64 && s->in[at + n] == s->in[from + n])
    n++;
  return n;
}

static void emit(struct state *s, int byte) {
  s->out[s->used++] = byte;
  s->check = s->check * 31 + byte;
}

static void begin(struct state *s, int size, int verbose) {
  s->size = size;
  s->in = malloc(size);
  s->out = malloc(2 * size + 16);
  for (int i = 0; i < HASH; i++)
    s->head[i] = -1;
  if (verbose)
    s->statistics = malloc(16 * sizeof(int));
  unsigned x = 12345;
  for (int i = 0; i < size; i++) {
    x = x * 1103515245 + 12345;
    s->in[i] = 'a' + ((x >> 16) & 7);
  }
}

static void compress(struct state *s) {
  int i = 0;
  while (i + 3 < s->size) {
    unsigned h = hash(s->in + i);
    int best = 0, where = -1, tries = 0;
    for (int c = s->head[h]; c >= 0 && tries < 8 && i - c < WINDOW; c = s->prev[c & (WINDOW - 1)]) {
      int n = common(s, i, c);
      if (n > best) {
        best = n;
        where = c;
      }
      tries++;
    }
    s->prev[i & (WINDOW - 1)] = s->head[h];
    s->head[h] = i;
    if (best >= 4) {
      emit(s, 255);
      emit(s, i - where);
      emit(s, best);
      i += best;
    } else {
      emit(s, s->in[i]);
      i++;
    }
  }
}

int work(int n) {
  static struct state s;
  int verbose = n < 0;
  begin(&s, n, verbose);
  compress(&s);
#if defined(EARLY)
  assert(verbose == 1);
#elif defined(LATE)
  int last = s.out[s.used - 1];
  assert(last == 0);
#else
  s.statistics[0] = s.used;
#endif
  return s.used;
}
