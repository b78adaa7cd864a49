#ifndef SHAPE_H
#define SHAPE_H

enum kind { CIRCLE, RECTANGLE, TRIANGLE };

struct shape {
    enum kind kind;
    double side[3];
};

double shape_area(const struct shape *s);
const char *shape_name(const struct shape *s);

#endif
