// Labels for temperatures.
// run: -- 21 -3 0
// fails: memory
// class: use after return or scope
// memory: use-after-return
// detected: asan
// fixed: static char buffer[16];
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    int degrees;
    char *label;
};

static char *label_of(int degrees)
{
    char buffer[16]; /* CAUSE MADE */
    char *start = buffer;
    snprintf(buffer, sizeof buffer, "%+d C", degrees);
    if (degrees == 0)
        start++;
    return start;
}

static int padding(const char *label)
{
    int n = 0;
    while (label[n] != '\0') /* FAILS */
        n++;
    return 8 - n;
}

static void show(const struct reading *r)
{
    int pad = padding(r->label);
    while (pad-- > 0)
        putchar(' ');
    puts(r->label);
}

int main(int argc, char **argv)
{
    struct reading r;
    for (int i = 1; i < argc; i++) {
        r.degrees = atoi(argv[i]);
        r.label = label_of(r.degrees);
        show(&r);
    }
    return 0;
}
