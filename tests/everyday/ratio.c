// Reduces ratios by subtraction.
// run: --timeout 10 -- 12:8 6:0
// fails: timeout
// class: hang
// fixed: while (a != b && a != 0 && b != 0) {
#include <stdio.h>

struct ratio {
    int num, den;
};

static int common(int a, int b)
{
    while (a != b) { /* CAUSE FAILS */
        if (a > b)
            a -= b;
        else
            b -= a;
    }
    return a ? a : 1;
}

static int parse(const char *text, struct ratio *r)
{
    return sscanf(text, "%d:%d", &r->num, &r->den) == 2 && r->num >= 0 && r->den >= 0;
}

static void reduce(struct ratio *r)
{
    int g = common(r->num, r->den);
    r->num /= g;
    r->den /= g;
}

int main(int argc, char **argv)
{
    struct ratio r;
    for (int i = 1; i < argc; i++) {
        if (!parse(argv[i], &r)) {
            fprintf(stderr, "not a ratio: %s\n", argv[i]);
            return 1;
        }
        reduce(&r);
        printf("%s = %d:%d\n", argv[i], r.num, r.den);
    }
    return 0;
}
