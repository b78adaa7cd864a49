#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *set_what_comes(void *nothing)
{
    int *where;
    if (read(ends[0], &where, sizeof where) == sizeof where)
        *where = 3;
    return nothing;
}

int main(void)
{
    pthread_t thread;
    int wanted;
    int *where = &wanted;
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&thread, NULL, set_what_comes, NULL);
    if (write(ends[1], &where, sizeof where) != sizeof where)
        return 3;
    pthread_join(thread, NULL);
    printf("%s\n", wanted == 4 ? "right" : "wrong");
    assert(wanted == 4);
    return 0;
}

// Nobody may say that `wanted` is unset: the other thread got its address through the pipe.
// run:
// fails: 28 assertion wanted
// says: wanted is 3
