// Samples a curve from 0 to 1 in steps of a tenth.
// run: --timeout 10
// fails: timeout
// class: hang, double rounding
// fixed: for (double x = 0; x < 1 + STEP / 2; x += STEP) {
#include <stdio.h>

#define STEP 0.1

struct curve {
    double a, b, c;
};

static double value(const struct curve *k, double x)
{
    return (k->a * x + k->b) * x + k->c;
}

static double area(const struct curve *k)
{
    double sum = 0;
    for (double x = 0; x != 1 + STEP; x += STEP) { /* CAUSE FAILS */
        double weight = x == 0 ? 0.5 : 1;
        sum += weight * value(k, x) * STEP;
    }
    return sum;
}

static double turning_point(const struct curve *k)
{
    return k->a == 0 ? 0 : -k->b / (2 * k->a);
}

int main(void)
{
    struct curve k = {1.5, -1, 2};
    printf("turns at %.3f\n", turning_point(&k));
    printf("area %.3f\n", area(&k));
    return 0;
}
