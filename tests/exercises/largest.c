/* The largest of some numbers, which may all be negative. */
#include <stdio.h>

int main(void)
{
    int n, largest = 0;
    if (scanf("%d", &largest) != 1)
        return 1;
    while (scanf("%d", &n) == 1)
        if (n < largest) /* CAUSE */
            largest = n;
    printf("largest %d\n", largest);
    return 0;
}
