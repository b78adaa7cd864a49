// Adds up the third column of a table by the name in its first.
// run:
// stdin: apples,red,12\npears,,7\napples,green,5\nplums,blue,x3\n
// fails: output
// class: wrong output
// fixed: start = comma ? comma + 1 : NULL;
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 4
#define ROWS 10

typedef struct {
    char name[16];
    long amount;
} total_t;

static total_t totals[ROWS];
static int used;

static int split(char *line, char *fields[])
{
    int n = 0;
    char *start = line;
    while (start && n < FIELDS) {
        char *comma = strchr(start, ',');
        if (comma)
            *comma = '\0';
        fields[n++] = start;
        start = comma ? comma + 1 + strspn(comma + 1, ",") : NULL; /* CAUSE */
    }
    return n;
}

static void add(const char *name, long amount)
{
    int i;
    for (i = 0; i < used; i++)
        if (!strcmp(totals[i].name, name))
            break;
    if (i == ROWS)
        return;
    if (i == used)
        strncpy(totals[used++].name, name, sizeof totals[0].name - 1);
    totals[i].amount += amount;
}

int main(void)
{
    char line[100], *fields[FIELDS];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        int n = split(line, fields);
        add(fields[0], n > 2 ? atol(fields[2]) : 0);
    }
    for (int i = 0; i < used; i++)
        printf("%s: %ld\n", totals[i].name, totals[i].amount); /* FAILS */
    return 0;
}
