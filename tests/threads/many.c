#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *given)
{
    long number = (long)given;
    pthread_mutex_lock(&lock);
    if (number % 1000 != 999)
        done++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    for (long round = 0; round < 200; round++) {
        pthread_t threads[10];
        for (long i = 0; i < 10; i++)
            pthread_create(&threads[i], NULL, work, (void *)(10 * round + i));
        for (int i = 0; i < 10; i++)
            pthread_join(threads[i], NULL);
    }
    assert(done == 2000);
    return 0;
}

// run:
// fails: 27 assertion done == 2000
// says: done is 1998, set at line 13 by a thread that began in work()
// says: the program starts 2000 threads (work())
