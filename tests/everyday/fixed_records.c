// Records with fields of fixed width, as old files have them.
// run:
// stdin: 0001ACMEcorp0420\n0002Globex  0035\n
// fails: memory
// class: unterminated string, inside a struct, string function
// memory: out-of-bounds 8 8
// fixed: printf("%.*s|%s\n", (int)sizeof r.name, r.name, r.amount);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
    char id[4];
    char name[8];
    char amount[5];
};

static int parse(const char *line, struct record *r)
{
    if (strlen(line) < 16)
        return 0;
    memcpy(r->id, line, 4);
    memcpy(r->name, line + 4, 8);
    memcpy(r->amount, line + 12, 4);
    r->amount[4] = '\0';
    return 1;
}

int main(void)
{
    char line[80];
    struct record r; /* MADE */
    long sum = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (!parse(line, &r)) {
            fprintf(stderr, "short line\n");
            continue;
        }
        printf("%s|%s\n", r.name, r.amount); /* CAUSE FAILS */
        sum += atol(r.amount);
    }
    printf("sum %ld\n", sum);
    return 0;
}
