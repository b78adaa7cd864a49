#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    int sum;
};

static struct account accounts[2];
static pthread_barrier_t both;

static void move(struct account *from, struct account *to, int n)
{
    pthread_mutex_lock(&from->lock);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&to->lock);
    from->sum -= n;
    to->sum += n;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *pay_back(void *nothing)
{
    move(&accounts[1], &accounts[0], 20);
    return nothing;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_mutex_init(&accounts[i].lock, NULL);
    pthread_create(&thread, NULL, pay_back, NULL);
    move(&accounts[0], &accounts[1], 50);
    pthread_join(thread, NULL);
    printf("%d %d\n", accounts[0].sum, accounts[1].sum);
    return 0;
}

// run:
// hangs: 16 does not end: main() waits for the mutex accounts[1].lock, which pay_back() has held since line 14
// says: pay_back() waits for the mutex accounts[0].lock (line 16 in move()), which main() has held since line 14.
