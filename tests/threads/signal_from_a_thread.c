#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

static volatile sig_atomic_t got;
static volatile unsigned rounds;
static pthread_t first;

static void count(int signal)
{
    (void)signal;
    got++;
}

static void *send(void *nothing)
{
    for (int i = 0; i < 3; i++) {
        pthread_kill(first, SIGUSR1);
        while (got == i)
            sched_yield();
    }
    return nothing;
}

int main(void)
{
    pthread_t thread;
    signal(SIGUSR1, count);
    first = pthread_self();
    pthread_create(&thread, NULL, send, NULL);
    while (got < 3)
        rounds++;
    pthread_join(thread, NULL);
    assert(got == 2);
    return 0;
}

// run:
// spins: until then
// fails: 35 assertion got
// says: got is 3 after 3 runs of line 13, in count(): got++
