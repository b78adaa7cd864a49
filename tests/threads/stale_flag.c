#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int found;
static int wanted;
static int values[] = {3, 1, 4, 1, 5};

static void *look(void *nothing)
{
    (void)nothing;
    for (int i = 0; i < 4; i++)
        if (values[i] == wanted)
            found = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? atoi(argv[1]) : 5;
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    assert(found);
    return 0;
}

// Nobody may say that it fails whatever is given: with 4 it does not.
// run:
// fails: 25 assertion found
// precondition: none
