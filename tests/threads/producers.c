#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct result { int value; char text[16]; };
struct node { struct node *next; struct result *result; };
static struct node *list;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static __thread int own;

static void *produce(void *given)
{
    int id = *(int *)given;
    free(given);
    for (int i = 0; i < 20; i++) {
        own++;
        struct node *node = malloc(sizeof *node);
        node->result = malloc(sizeof *node->result);
        node->result->value = id * 100 + i + own - own;
        sprintf(node->result->text, "%d", node->result->value);
        pthread_mutex_lock(&lock);
        node->next = list;
        list = node;
        pthread_cond_signal(&more);
        pthread_mutex_unlock(&lock);
    }
    return malloc(8);
}

int main(void)
{
    pthread_t threads[3];
    struct result *buffer = malloc(60 * sizeof *buffer);
    int *totals = malloc(3 * sizeof *totals);
    memset(totals, 0, 3 * sizeof *totals);
    for (int i = 0; i < 3; i++) {
        int *id = malloc(sizeof *id);
        *id = i;
        pthread_create(&threads[i], NULL, produce, id);
    }
    int got = 0;
    while (got < 60) {
        pthread_mutex_lock(&lock);
        while (!list)
            pthread_cond_wait(&more, &lock);
        struct node *node = list;
        list = node->next;
        pthread_mutex_unlock(&lock);
        buffer[got++] = *node->result;
        totals[node->result->value / 100] += 1;
        free(node->result);
        free(node);
    }
    for (int i = 0; i < 3; i++) {
        void *result;
        pthread_join(threads[i], &result);
        *(long *)result = 5;
        free(result);
    }
    long sum = own;
    for (int i = 0; i < 60; i++)
        sum += strlen(buffer[i].text) + buffer[i].value;
    printf("%ld %d %d %d\n", sum, totals[0], totals[1], totals[2]);
    free(buffer);
    free(totals);
    return 0;
}

// run:
// fails: nowhere
