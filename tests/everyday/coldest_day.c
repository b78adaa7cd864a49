// The coldest day among those with a measurement.
// run:
// stdin: mon ?\ntue 4\nwed 7\nthu 2\n
// fails: memory
// class: uninitialised
// memory: uninitialised
// detected: valgrind
// fixed: int coldest = 1000;
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAYS 7

struct day {
    char name[4];
    char value[8];
};

static int read_days(struct day *days)
{
    int n = 0;
    while (n < DAYS && scanf("%3s %7s", days[n].name, days[n].value) == 2)
        n++;
    return n;
}

static const char *coldest_of(const struct day *days, int n)
{
    const char *name = "none";
    int coldest; /* CAUSE MADE */
    for (int i = 0; i < n; i++) {
        if (strcmp(days[i].value, "?") == 0)
            continue;
        int degrees = atoi(days[i].value);
        if (i == 0 || degrees < coldest) { /* FAILS */
            coldest = degrees;
            name = days[i].name;
        }
    }
    return name;
}

int main(void)
{
    struct day days[DAYS];
    int n = read_days(days);
    printf("%d days\n", n);
    printf("coldest: %s\n", coldest_of(days, n));
    return 0;
}
