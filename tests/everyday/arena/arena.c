#include "arena.h"
#include <stdlib.h>

void arena_open(struct arena *a, size_t size)
{
    a->bytes = malloc(size); /* MADE */
    a->used = 0;
    a->size = a->bytes ? size : 0;
}

void *arena_take(struct arena *a, size_t size)
{
    void *at = a->bytes + a->used;
    size = (size + 7) & ~(size_t)7;
    if (a->used > a->size) /* CAUSE */
        return NULL;
    a->used += size;
    return at;
}

void arena_close(struct arena *a)
{
    free(a->bytes);
    a->bytes = NULL;
}
