#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct queue {
    pthread_mutex_t lock;
    char *items[16];
    int count;
};

static struct queue queue = {PTHREAD_MUTEX_INITIALIZER, {0}, 0};

static void *consume(void *given)
{
    struct queue *q = given;
    int got = 0;
    while (got < 16) {
        pthread_mutex_lock(&q->lock);
        while (q->count > 0) {
            free(q->items[--q->count]);
            got++;
        }
        pthread_mutex_unlock(&q->lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char *mine = malloc(40);
    strcpy(mine, "a text");
    pthread_create(&thread, NULL, consume, &queue);
    for (int i = 0; i < 16; i++) {
        char *item = malloc(40);
        snprintf(item, 40, "item %d", i);
        pthread_mutex_lock(&queue.lock);
        queue.items[queue.count++] = item;
        pthread_mutex_unlock(&queue.lock);
    }
    pthread_join(thread, NULL);
    char *again = malloc(40);
    snprintf(again, 40, "%d left of %s", queue.count, mine);
    printf("%s\n", again);
    free(mine);
    free(again);
    return mine[0] == 'a';
}

// run:
// fails: 48 memory
// says: mine is freed since line 46
