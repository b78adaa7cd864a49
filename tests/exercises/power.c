/* x to the power of n. */
#include <stdio.h>

static double power(double x, int n)
{
    double result = 1;
    while (n > 0) {
        result *= x; /* CAUSE */
    }
    return result;
}

int main(void)
{
    double x;
    int n;
    if (scanf("%lf %d", &x, &n) != 2)
        return 1;
    printf("%.3f\n", power(x, n));
    return 0;
}
