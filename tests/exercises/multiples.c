/* Multiples of a number up to a bound, between commas. */
#include <stdio.h>

int main(void)
{
    int step, bound;
    if (scanf("%d %d", &step, &bound) != 2)
        return 1;
    for (int i = step; i < bound; i += step) { /* CAUSE */
        if (i > step)
            printf(",");
        printf("%d", i);
    }
    printf("\n");
    return 0;
}
