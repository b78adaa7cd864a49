// Loads two tables; on an error everything is released.
// run: -- 3 0
// fails: memory
// class: double or invalid free
// memory: double-free
// detected: asan valgrind
// fixed: t->rows = -1;
#include <stdio.h>
#include <stdlib.h>

struct table {
    int rows;
    int *cells;
};

static void table_free(struct table *t)
{
    free(t->cells); /* FREED FAILS */
    t->rows = 0;
}

static int table_load(struct table *t, int rows)
{
    t->rows = rows;
    t->cells = malloc((rows + 1) * sizeof *t->cells); /* MADE */
    if (!t->cells)
        return -1;
    for (int i = 0; i < rows; i++)
        t->cells[i] = i * i;
    if (rows == 0) {
        fprintf(stderr, "empty table\n");
        table_free(t); /* CAUSE */
        return -1;
    }
    return 0;
}

static int sum(const struct table *t)
{
    int s = 0;
    for (int i = 0; i < t->rows; i++)
        s += t->cells[i];
    return s;
}

int main(int argc, char **argv)
{
    struct table a = {0, NULL}, b = {0, NULL};
    int status = 0;
    if (argc < 3)
        return 2;
    if (table_load(&a, atoi(argv[1])) < 0)
        goto out;
    if (table_load(&b, atoi(argv[2])) < 0)
        goto out;
    printf("%d %d\n", sum(&a), sum(&b));
out:
    table_free(&a);
    table_free(&b);
    return status;
}
