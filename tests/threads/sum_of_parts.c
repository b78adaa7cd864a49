#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define WORKERS 4

struct part {
    int from, to;
    long sum;
};

static int numbers[100];

static void *add_up(void *given)
{
    struct part *part = given;
    part->sum = 0;
    for (int i = part->from; i < part->to - 1; i++)
        part->sum += numbers[i];
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    struct part parts[WORKERS];
    long expected = 0, total = 0;
    for (int i = 0; i < 100; i++) {
        numbers[i] = i;
        expected += i;
    }
    for (int i = 0; i < WORKERS; i++) {
        parts[i].from = 25 * i;
        parts[i].to = 25 * (i + 1);
        pthread_create(&threads[i], NULL, add_up, &parts[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(threads[i], NULL);
        total += parts[i].sum;
    }
    printf("%ld\n", total);
    assert(total == expected);
    return 0;
}

// run:
// fails: 43 assertion
// says: total is 4704
// says: parts[3].sum is 2076
// says: a thread that began in add_up()
