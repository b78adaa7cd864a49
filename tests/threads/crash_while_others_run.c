#include <pthread.h>
#include <stdlib.h>

static volatile long counters[4];

static void *spin(void *given)
{
    long n = (long)given;
    for (;;)
        counters[n]++;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, spin, (void *)i);
    int *nothing = NULL;
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += i;
    if (sum > 5)
        *nothing = 1;
    return 0;
}

// run:
// fails: 23 signal NULL
// says: nothing is NULL since line 18
