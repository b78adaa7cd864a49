#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int result;

static void *work(void *nothing)
{
    pthread_mutex_lock(&lock);
    result = 42;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    pthread_mutex_lock(&lock);
    pthread_cond_wait(&ready, &lock);
    printf("%d\n", result);
    pthread_mutex_unlock(&lock);
    return 0;
}

// That it never ends is not known: somebody outside may do what wakes it.
// run:
// hangs: 23 main() waits for the condition ready, which was signalled at line 12
// says: has not ended when it was stopped
