#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct account {
    pthread_mutex_t lock;
    int sum;
};

static int take(struct account *account, int n)
{
    pthread_mutex_lock(&account->lock);
    if (account->sum < n)
        return 0;
    account->sum -= n;
    pthread_mutex_unlock(&account->lock);
    return 1;
}

static void *take_much(void *account)
{
    take(account, 200);
    return NULL;
}

static void *take_little(void *account)
{
    while (take(account, 30))
        ;
    return NULL;
}

int main(void)
{
    struct account *account = malloc(sizeof *account);
    pthread_mutex_init(&account->lock, NULL);
    account->sum = 100;
    pthread_t thread;
    pthread_create(&thread, NULL, take_much, account);
    pthread_join(thread, NULL);
    pthread_create(&thread, NULL, take_little, account);
    pthread_join(thread, NULL);
    printf("%d\n", account->sum);
    free(account);
    return 0;
}

// run:
// hangs: 42 does not end: main() waits for take_little() to end
// says: take_little() waits for the mutex account->lock (line 12 in take()), which take_much() took at line 12 and still held when it ended.
