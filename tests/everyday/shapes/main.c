// Areas of shapes, in several files.
// run:
// stdin: circle 2\nrect 3 4\ntriangle 4 5 6\n
// fails: output
// class: wrong output, double rounding
// fixed: double half = (s->side[0] + s->side[1] + s->side[2]) / 2;
#include "shape.h"
#include <stdio.h>
#include <string.h>

static int read_shape(struct shape *s)
{
    char name[16];
    if (scanf("%15s", name) != 1)
        return 0;
    if (strcmp(name, "circle") == 0) {
        s->kind = CIRCLE;
        return scanf("%lf", &s->side[0]) == 1;
    }
    if (strcmp(name, "rect") == 0) {
        s->kind = RECTANGLE;
        return scanf("%lf %lf", &s->side[0], &s->side[1]) == 2;
    }
    s->kind = TRIANGLE;
    return scanf("%lf %lf %lf", &s->side[0], &s->side[1], &s->side[2]) == 3;
}

int main(void)
{
    struct shape s;
    double total = 0;
    while (read_shape(&s)) {
        double a = shape_area(&s);
        printf("%s %.2f\n", shape_name(&s), a); /* FAILS */
        total += a;
    }
    printf("total %.2f\n", total);
    return 0;
}
