#include <stdio.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

static int limit = 3;

static int work(void *given)
{
    int *step = given;
    for (int i = 0;; i++)
        if (i * *step > limit)
            exit(i);
    return 0;
}

int main(void)
{
    int step = 2;
    thrd_t thread;
    thrd_create(&thread, work, &step);
    for (;;)
        pause();
}

// run: --expect-status 0
// fails: 13 status
// says: i is 2
// says: the program starts 1 thread (work())
