/* The area of a rectangle in square metres. */
#include <stdio.h>

int main(void)
{
    double width, height;
    if (scanf("%lf %lf", &width, &height) != 2)
        return 1;
    printf("Area: %.1f square metres\n", width * height); /* CAUSE */
    return 0;
}
