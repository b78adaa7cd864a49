// stdin: 3 5 -1 8 -1 -1 2 0
#include <stdio.h>
#define SIZE 4
struct queue { int items[SIZE]; unsigned head, tail; };
static int put(struct queue *q, int x) {
    if (q->tail - q->head == SIZE) return 0;
    q->items[q->tail++ % SIZE] = x;
    return 1;
}
static int get(struct queue *q, int *x) {
    if (q->tail == q->head) return 0;
    *x = q->items[q->head++ % SIZE];
    return 1;
}
int main(void) {
    struct queue q = {0};
    int n, x;
    while (scanf("%d", &n) == 1 && n) {
        if (n > 0) printf("put %d\n", put(&q, n));
        else if (get(&q, &x)) printf("got %d\n", x);
        else printf("empty\n");
    }
    return q.tail - q.head;
}
