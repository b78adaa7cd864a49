#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct task {
    int key;
    const char *name;
};

static const char *names[] = {"zero", "one", "two"};

static void *look_up(void *given)
{
    struct task *task = given;
    if (task->key > 2)
        return NULL;
    task->name = names[task->key];
    return NULL;
}

int main(void)
{
    struct task *tasks = calloc(4, sizeof *tasks);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        tasks[i].key = i;
        pthread_create(&threads[i], NULL, look_up, &tasks[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    int letters = 0;
    for (int i = 0; i < 4; i++)
        for (const char *c = tasks[i].name; *c; c++)
            letters++;
    printf("%d\n", letters);
    free(tasks);
    return 0;
}

// run:
// fails: 33 signal NULL
// says: c is NULL
// says: the program starts 4 threads
