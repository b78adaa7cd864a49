#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena {
    char *bytes;
    size_t used, size;
};

void arena_open(struct arena *a, size_t size);
void *arena_take(struct arena *a, size_t size);
void arena_close(struct arena *a);

#endif
