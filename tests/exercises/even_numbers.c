/* Counts even numbers. */
#include <stdio.h>

static int count_even(const int *a, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        if (a[i] % 2 == 1) /* CAUSE */
            count++;
    return count;
}

int main(void)
{
    int a[100], n = 0;
    while (n < 100 && scanf("%d", &a[n]) == 1)
        n++;
    printf("%d even\n", count_even(a, n));
    return 0;
}
