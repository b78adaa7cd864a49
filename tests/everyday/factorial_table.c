// A table of binomial coefficients by factorials; the numbers get too large for int.
// run: -- 13 5
// fails: assertion
// class: assertion, integer overflow
// fixed: long long f = 1;
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static long long factorial(int n)
{
    int f = 1; /* CAUSE */
    while (n > 1)
        f *= n--;
    return f;
}

static long long choose(int n, int k)
{
    if (k < 0 || k > n)
        return 0;
    return factorial(n) / (factorial(k) * factorial(n - k));
}

static long long pascal(int n, int k)
{
    long long row[32] = {1};
    for (int i = 1; i <= n; i++)
        for (int j = i; j > 0; j--)
            row[j] += row[j - 1];
    return row[k];
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s N K\n", argv[0]);
        return 2;
    }
    int n = atoi(argv[1]);
    int k = atoi(argv[2]);
    if (n < 0 || n > 20 || k < 0 || k > n)
        return 2;
    long long a = choose(n, k);
    long long b = pascal(n, k);
    printf("%lld ways to choose %d of %d\n", b, k, n);
    assert(a == b); /* FAILS */
    return 0;
}
