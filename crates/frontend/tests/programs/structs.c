#include <stdio.h>

struct point { int x, y; };
struct line { struct point from, to; };
typedef struct { double re, im; } complex_t;
struct floats { float a, b; };
struct big { long values[6]; char tag; };
struct odd { char c[3]; };
struct flags { unsigned ready : 1, kind : 3; int level : 5; unsigned long : 0; unsigned long wide : 40; };
union word { unsigned u; float f; unsigned char bytes[4]; };
enum color { RED, GREEN = 5, BLUE };

static struct point move(struct point p, int by) { p.x += by; p.y -= by; return p; }
static struct line join(struct point a, struct point b) { struct line l = {a, b}; return l; }
static complex_t mul(complex_t a, complex_t b) {
  complex_t r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return r;
}
static struct floats swap(struct floats f) { float t = f.a; f.a = f.b; f.b = t; return f; }
static long sum(struct big b) {
  long s = b.tag;
  for (int i = 0; i < 6; i++) s += b.values[i];
  b.values[0] = 0;
  return s;
}
static struct big make(int seed) {
  struct big b;
  for (int i = 0; i < 6; i++) b.values[i] = seed * i;
  b.tag = (char)seed;
  return b;
}
static int first(struct odd o) { return o.c[0] + o.c[2]; }

int main(int argc, char **argv) {
  struct point p = {argc, 2};
  struct line l = join(move(p, 3), p);
  struct line copy = l;
  complex_t z = mul((complex_t){1, 2}, (complex_t){argc, -1});
  struct floats f = swap((struct floats){1.5f, 2.5f});
  struct big b = make(argc + 4);
  struct odd o = {{1, 2, (char)argc}};
  struct flags g = {0};
  union word w;
  enum color c = argc > 3 ? RED : BLUE;
  g.ready = 1; g.kind = 5; g.level = -3; g.wide = 0x123456789; g.level += argc;
  w.f = 1.0f; w.bytes[0] = (unsigned char)argc;
  printf("%d %d %d %g %g %g %ld %ld %d\n", copy.from.x, copy.from.y, copy.to.y, z.re, z.im, f.a, sum(b), b.values[0] + b.values[5], first(o));
  printf("%d %d %d %lx %x %d\n", g.ready, g.kind, g.level, (unsigned long)g.wide, w.u, c);
  return l.to.x;
}
