#include "shape.h"
#include <math.h>

static double heron(const struct shape *s)
{
    int half = (s->side[0] + s->side[1] + s->side[2]) / 2; /* CAUSE */
    return sqrt(half * (half - s->side[0]) * (half - s->side[1]) * (half - s->side[2]));
}

double shape_area(const struct shape *s)
{
    switch (s->kind) {
    case CIRCLE:
        return 3.14159265358979 * s->side[0] * s->side[0];
    case RECTANGLE:
        return s->side[0] * s->side[1];
    default:
        return heron(s);
    }
}

const char *shape_name(const struct shape *s)
{
    static const char *const names[] = {"circle", "rectangle", "triangle"};
    return names[s->kind];
}
