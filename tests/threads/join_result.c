#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct span {
    const int *from;
    int count;
};

static int numbers[] = {9, -2, 7, 4, 12, 1};

static void *largest(void *given)
{
    struct span *span = given;
    int *result = malloc(sizeof *result);
    *result = 0;
    for (int i = 1; i < span->count; i++)
        if (span->from[i] > *result)
            *result = span->from[i];
    return result;
}

int main(void)
{
    struct span spans[2] = {{numbers, 3}, {numbers + 3, 3}};
    pthread_t threads[2];
    int sum = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, largest, &spans[i]);
    for (int i = 0; i < 2; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += *(int *)result;
        free(result);
    }
    printf("%d\n", sum);
    if (sum != 9 + 12)
        abort();
    return 0;
}

// run:
// fails: 38 signal abort
// says: sum is 19
