/* The sum of the digits of a number. */
#include <stdio.h>

static int digits(int n)
{
    int sum = 0;
    while (n > 9) { /* CAUSE */
        sum += n % 10;
        n /= 10;
    }
    return sum;
}

int main(void)
{
    int n;
    while (scanf("%d", &n) == 1)
        printf("%d\n", digits(n));
    return 0;
}
