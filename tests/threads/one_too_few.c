#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_barrier_t all;
static sem_t done;

static void *work(void *nothing)
{
    pthread_barrier_wait(&all);
    sem_post(&done);
    return nothing;
}

int main(void)
{
    pthread_t threads[3];
    pthread_barrier_init(&all, NULL, 4);
    sem_init(&done, 0, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        sem_wait(&done);
    puts("done");
    return 0;
}

// run:
// hangs: 23 main() waits for the semaphore done, which nobody has posted
// says: 3 threads of work() wait at the barrier all (line 10), where 3 of 4 threads are.
