// Writes numbers as a list in brackets, side by side in a buffer.
// run: -- 4 15 16
// fails: output
// class: wrong output
// fixed: out->used += out->spaced ? 2 : 1;
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char bytes[512];
    size_t used;
    int spaced;
};

static char *end(struct text *out)
{
    return out->bytes + out->used;
}

static void put_number(struct text *out, long number)
{
    char *to = end(out);

    sprintf(to, "%ld", number);
    out->used += strlen(to);
}

static void put_comma(struct text *out)
{
    char *to = end(out);

    *to++ = ',';
    if (out->spaced)
        *to++ = ' ';
    *to = '\0';
    out->used += 1; /* CAUSE */
}

static void put_byte(struct text *out, char byte)
{
    char *to = end(out);

    to[0] = byte;
    to[1] = '\0';
    out->used++;
}

int main(int argc, char **argv)
{
    struct text out = {"", 0, 1};

    put_byte(&out, '[');
    for (int i = 1; i < argc && i < 20; i++) {
        if (i > 1)
            put_comma(&out);
        put_number(&out, strtol(argv[i], NULL, 10));
    }
    put_byte(&out, ']');
    printf("%s\n", out.bytes); /* FAILS */
    return 0;
}
