// args: 2.5 4
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    double a = atof(argv[1]), b = atof(argv[2]);
    float f = a;
    f = f * f;
    printf("%.2f %.3f %.1f\n", a + b, sqrt(b) - a, fabs(a - b));
    printf("%d %d %d\n", a < b, (int)f, a != a);
    double sum = 0;
    for (int i = 1; i < 5; i++) sum += 1.0 / i;
    printf("%.6f %g\n", sum, sum);
    return 0;
}
