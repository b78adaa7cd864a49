/* A pool is released where a file is empty, and once more at the end: which calls these are is what is wrong. */
#include <stdio.h>
#include <stdlib.h>

struct pool {
    char *bytes;
    int used;
};

static void *must_have(size_t size)
{
    void *p = malloc(size);
    if (p == NULL)
        exit(2);
    return p;
}

static struct pool *pool_new(size_t size)
{
    struct pool *p = must_have(sizeof *p);
    p->bytes = must_have(size);
    p->used = 0;
    return p;
}

static void pool_release(struct pool *p)
{
    free(p->bytes);
    p->used = 0;
}

static int fill(struct pool *p, const char *text)
{
    if (text[0] == '\0') {
        pool_release(p);
        return -1;
    }
    while (text[p->used] != '\0') {
        p->bytes[p->used] = text[p->used];
        p->used++;
    }
    return 0;
}

int main(void)
{
    struct pool *p = pool_new(100);
    if (fill(p, "") < 0)
        puts("empty");
    pool_release(p);
    free(p);
    return 0;
}

// says: in pool_release(p), called at line 35, from line 48: free(p->bytes).
// says: It fails in pool_release(p), called at line 50.
// shows: 28
// run:
