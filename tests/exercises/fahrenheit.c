/* Celsius to Fahrenheit. */
#include <stdio.h>

static double to_fahrenheit(double celsius)
{
    return 9 / 5 * celsius + 32; /* CAUSE */
}

int main(void)
{
    double celsius;
    if (scanf("%lf", &celsius) != 1)
        return 1;
    printf("%.1f\n", to_fahrenheit(celsius));
    return 0;
}
