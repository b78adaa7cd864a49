/* Jobs come out of a binary heap in the order of their deadlines. */
// run:
// fails: assertion
// class: assertion, off by one
// fixed: int left = 2 * at + 1, right = 2 * at + 2, least = at;
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int deadline;
    char name;
};

struct heap {
    struct job *items;
    int len, cap;
};

static void heap_push(struct heap *h, int deadline, char name) {
    if (h->len == h->cap) {
        h->cap = h->cap ? 2 * h->cap : 4;
        h->items = realloc(h->items, h->cap * sizeof *h->items);
    }
    int at = h->len++;
    while (at > 0 && h->items[(at - 1) / 2].deadline > deadline) {
        h->items[at] = h->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    h->items[at].deadline = deadline;
    h->items[at].name = name;
}

static struct job heap_pop(struct heap *h) {
    struct job top = h->items[0];
    struct job moved = h->items[--h->len];
    int at = 0;
    h->items[0] = moved;
    for (;;) {
        int left = 2 * at, right = 2 * at + 1, least = at; /* CAUSE */
        if (left < h->len && h->items[left].deadline < h->items[least].deadline)
            least = left;
        if (right < h->len && h->items[right].deadline < h->items[least].deadline)
            least = right;
        if (least == at)
            return top;
        struct job t = h->items[at];
        h->items[at] = h->items[least];
        h->items[least] = t;
        at = least;
    }
}

int main(void) {
    struct heap todo = {0};
    int last = 0;
    heap_push(&todo, 30, 'c');
    heap_push(&todo, 12, 'a');
    heap_push(&todo, 25, 'b');
    heap_push(&todo, 41, 'd');
    while (todo.len > 0) {
        struct job next = heap_pop(&todo);
        printf("%c %d\n", next.name, next.deadline);
        assert(next.deadline >= last); /* FAILS */
        last = next.deadline;
    }
    free(todo.items);
    return 0;
}
