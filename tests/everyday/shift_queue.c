/* A queue in an array that is shifted when its head is taken. */
// run: -- 4 8 15 16
// fails: memory
// class: overlapping copy
// memory: overlap
// detected: asan
// fixed: memmove(q->items, q->items + 1, q->n * sizeof q->items[0]);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 8

struct queue {
    int items[ROOM];
    size_t n;
};

static int put(struct queue *q, int item)
{
    if (q->n == ROOM)
        return 0;
    q->items[q->n++] = item;
    return 1;
}

static int take(struct queue *q)
{
    int first = q->items[0];
    q->n--;
    memcpy(q->items, q->items + 1, q->n * sizeof q->items[0]); /* CAUSE FAILS */
    return first;
}

int main(int argc, char **argv)
{
    struct queue q = {{0}, 0}; /* MADE */
    int sum = 0;
    for (int i = 1; i < argc; i++)
        if (!put(&q, atoi(argv[i])))
            fprintf(stderr, "full\n");
    while (q.n > 0) {
        int item = take(&q);
        sum = sum * 3 + item;
    }
    printf("%d\n", sum);
    return 0;
}
