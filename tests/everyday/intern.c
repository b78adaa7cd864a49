/* Interned strings: equal texts share one place in a pool that grows. */
// run: -- alpha beta gamma alpha
// fails: memory
// class: use after free
// memory: use-after-free
// detected: asan valgrind
// fixed: size_t size = 4096;
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pool {
    char *bytes;
    size_t used, size;
};

static const char *find(const struct pool *p, const char *text)
{
    size_t at = 0;
    while (at < p->used) {
        if (strcmp(p->bytes + at, text) == 0)
            return p->bytes + at;
        at += strlen(p->bytes + at) + 1;
    }
    return NULL;
}

static const char *intern(struct pool *p, const char *text)
{
    const char *known = find(p, text);
    size_t n = strlen(text) + 1;
    if (known)
        return known;
    if (p->used + n > p->size) {
        size_t size = p->size + 2 * n; /* CAUSE */
        char *moved = malloc(size); /* MADE */
        if (p->used > 0)
            memcpy(moved, p->bytes, p->used);
        free(p->bytes); /* FREED */
        p->bytes = moved;
        p->size = size;
    }
    memcpy(p->bytes + p->used, text, n);
    p->used += n;
    return p->bytes + p->used - n;
}

int main(int argc, char **argv)
{
    struct pool pool = {NULL, 0, 0};
    const char *names[16];
    int n = 0;
    for (int i = 1; i < argc && n < 16; i++)
        names[n++] = intern(&pool, argv[i]);
    for (int i = 0; i < n; i++)
        printf("%d %c\n", i, names[i][0]); /* FAILS */
    printf("%zu bytes\n", pool.used);
    free(pool.bytes);
    return 0;
}
