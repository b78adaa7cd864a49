/* n! for small n. */
#include <stdio.h>

static long factorial(int n)
{
    long result = 0; /* CAUSE */
    for (int i = 2; i <= n; i++)
        result *= i;
    return result;
}

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    printf("%d! = %ld\n", n, factorial(n));
    return 0;
}
