#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int id;
    int items;
    int done;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 10;

static void *work(void *given)
{
    struct job *job = given;
    for (int i = 0; i < job->items; i++) {
        pthread_mutex_lock(&lock);
        left -= 2;
        assert(left >= 0);
        pthread_mutex_unlock(&lock);
        job->done++;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    struct job *jobs = calloc(3, sizeof *jobs);
    for (int i = 0; i < 3; i++) {
        jobs[i].id = i;
        jobs[i].items = i + 1;
        pthread_create(&threads[i], NULL, work, &jobs[i]);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d left\n", left);
    free(jobs);
    return 0;
}

// run:
// fails: 21 assertion
// says: left is -2
// says: followed is the one in which the run ended, which began in work(),
