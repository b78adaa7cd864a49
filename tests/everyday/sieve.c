/* The sieve of Eratosthenes. */
// run:
// fails: memory
// class: global overflow, off by one
// memory: out-of-bounds 50 50
// detected: asan
// fixed: for (int m = p * p; m < LIMIT; m += p)
#include <stdio.h>

#define LIMIT 50

static char composite[LIMIT]; /* MADE */
static int primes[LIMIT];
static int n_primes;

static void sieve(void)
{
    for (int p = 2; p < LIMIT; p++) {
        if (composite[p])
            continue;
        primes[n_primes++] = p;
        for (int m = p * p; m <= LIMIT; m += p) /* CAUSE */
            composite[m] = 1; /* FAILS */
    }
}

static int twins(void)
{
    int n = 0;
    for (int i = 1; i < n_primes; i++)
        if (primes[i] - primes[i - 1] == 2)
            n++;
    return n;
}

int main(void)
{
    sieve();
    for (int i = 0; i < n_primes; i++)
        printf("%d%c", primes[i], i + 1 < n_primes ? ' ' : '\n');
    printf("%d primes, %d twins\n", n_primes, twins());
    return 0;
}
