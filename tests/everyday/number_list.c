/* A growing array of numbers. */
// run:
// stdin: 5 3 9 1 7\n
// fails: memory
// class: heap overflow, off by one
// memory: out-of-bounds 16 16
// detected: asan valgrind
// fixed: if (v->count >= v->capacity) {
#include <stdio.h>
#include <stdlib.h>

typedef struct vector {
    int *items;
    size_t count;
    size_t capacity;
} vector;

static int vector_init(vector *v, size_t capacity)
{
    v->items = malloc(capacity * sizeof(int)); /* MADE */
    v->count = 0;
    v->capacity = capacity;
    return v->items != NULL;
}

static int vector_push(vector *v, int item)
{
    if (v->count > v->capacity) { /* CAUSE */
        size_t larger = v->capacity * 2;
        int *moved = realloc(v->items, larger * sizeof(int));
        if (moved == NULL)
            return 0;
        v->items = moved;
        v->capacity = larger;
    }
    v->items[v->count++] = item; /* FAILS */
    return 1;
}

static int largest(const vector *v)
{
    int best = v->items[0];
    for (size_t i = 1; i < v->count; i++)
        if (v->items[i] > best)
            best = v->items[i];
    return best;
}

int main(void)
{
    vector v;
    int n;

    if (!vector_init(&v, 4))
        return 1;
    while (scanf("%d", &n) == 1)
        vector_push(&v, n);
    if (v.count > 0)
        printf("%zu numbers, largest %d\n", v.count, largest(&v));
    free(v.items);
    return 0;
}
