/* Open addressing with linear probing. */
// run: --timeout 10 -- 3 11 19 4
// fails: timeout
// class: hang
// fixed: at = (at + 1) % SLOTS;
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 8
#define EMPTY 0

struct table {
    int keys[SLOTS];
    int count;
};

static int slot_of(const struct table *t, int key)
{
    int at = key % SLOTS;
    while (t->keys[at] != EMPTY && t->keys[at] != key) /* FAILS */
        at = (at * 2 + 1) % SLOTS; /* CAUSE */
    return at;
}

static int insert(struct table *t, int key)
{
    if (t->count == SLOTS - 1)
        return 0;
    int at = slot_of(t, key);
    if (t->keys[at] == EMPTY) {
        t->keys[at] = key;
        t->count++;
    }
    return 1;
}

static int contains(const struct table *t, int key)
{
    return t->keys[slot_of(t, key)] == key;
}

int main(int argc, char **argv)
{
    struct table t = {{0}, 0};
    for (int i = 1; i < argc; i++) {
        int key = atoi(argv[i]);
        if (key > 0 && !insert(&t, key))
            fprintf(stderr, "full\n");
    }
    printf("%d keys, 11 is %s\n", t.count, contains(&t, 11) ? "in" : "out");
    return 0;
}
