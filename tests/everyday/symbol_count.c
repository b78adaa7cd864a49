// Counts symbols in a hash table of fixed size.
// run: -- x counter temporary_value x
// fails: memory
// class: global overflow, integer overflow
// memory: out-of-bounds
// fixed: unsigned h = 0;
#include <stdio.h>
#include <string.h>

#define SLOTS 31

struct slot {
    const char *name;
    int uses;
};

static struct slot table[SLOTS]; /* MADE */

static int hash(const char *name)
{
    int h = 0; /* CAUSE */
    while (*name)
        h = h * 33 + *name++;
    return h % SLOTS;
}

static struct slot *find(const char *name)
{
    int at = hash(name);
    while (table[at].name && strcmp(table[at].name, name) != 0) /* FAILS */
        at = (at + 1) % SLOTS;
    table[at].name = name;
    return &table[at];
}

static int distinct(void)
{
    int n = 0;
    for (int i = 0; i < SLOTS; i++)
        if (table[i].name)
            n++;
    return n;
}

int main(int argc, char **argv)
{
    if (argc > SLOTS)
        return 2;
    for (int i = 1; i < argc; i++)
        find(argv[i])->uses++;
    for (int i = 0; i < SLOTS; i++)
        if (table[i].uses > 1)
            printf("%s is used %d times\n", table[i].name, table[i].uses);
    printf("%d symbols\n", distinct());
    return 0;
}
