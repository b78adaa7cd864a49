// args: 4
#include <stdio.h>
#include <stdlib.h>
struct point { int x, y; };
struct shape { char name[6]; struct point corner[2]; double area; unsigned char flag; };
static struct point add(struct point a, struct point b) { struct point c = {a.x + b.x, a.y + b.y}; return c; }
static struct shape scaled(struct shape s, int k) {
    for (int i = 0; i < 2; i++) { s.corner[i].x *= k; s.corner[i].y *= k; }
    s.area *= k * k;
    s.flag++;
    return s;
}
static const struct shape unit = {"unit", {{0, 0}, {1, 1}}, 1.0, 255};
int main(int argc, char **argv) {
    struct shape s = unit, t;
    t = scaled(s, atoi(argv[1]));
    struct point p = add(t.corner[1], s.corner[1]);
    s = t;
    s.name[0] = 'U';
    struct point *q = &t.corner[0];
    q->x = 42;
    q[1].y = -1;
    printf("%s %s %d %d %d %d %.2f %d\n", s.name, t.name, p.x, p.y, t.corner[0].x, t.corner[1].y, s.area, s.flag);
    return 0;
}
