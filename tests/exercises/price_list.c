/* A list of prices in columns. */
#include <stdio.h>

int main(void)
{
    char name[16];
    double price;
    while (scanf("%15s %lf", name, &price) == 2)
        printf("%-8s%6.1f\n", name, price); /* CAUSE */
    return 0;
}
