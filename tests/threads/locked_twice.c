#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void add(int n)
{
    pthread_mutex_lock(&lock);
    sum += n;
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        if (i == 2)
            add(i);
        pthread_mutex_unlock(&lock);
    }
    printf("%d\n", sum);
    return 0;
}

// run:
// hangs: 9 does not end: it waits for the mutex lock, which it has held itself since line 17
// says: It is reached because i == 2
