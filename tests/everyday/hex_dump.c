// Dumps its argument as hexadecimal bytes with a checksum.
// run: -- café
// fails: output
// class: wrong output
// fixed: const unsigned char *bytes;
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define PER_LINE 8

struct dump {
    const char *bytes; /* CAUSE */
    size_t length;
};

static unsigned checksum(const struct dump *d)
{
    unsigned sum = 0;
    for (size_t i = 0; i < d->length; i++)
        sum = (sum + (d->bytes[i] & 0xff)) & 0xffff;
    return sum;
}

static void dump_line(const struct dump *d, size_t from)
{
    size_t to = from + PER_LINE < d->length ? from + PER_LINE : d->length;
    printf("%04zx ", from);
    for (size_t i = from; i < to; i++)
        printf(" %02x", d->bytes[i]); /* FAILS */
    printf("  ");
    for (size_t i = from; i < to; i++)
        putchar(d->bytes[i] >= ' ' && d->bytes[i] < 127 ? d->bytes[i] : '.');
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct dump d = {0};
    if (argc < 2)
        return 2;
    d.bytes = (void *)argv[1];
    d.length = strlen(argv[1]);
    for (size_t at = 0; at < d.length; at += PER_LINE)
        dump_line(&d, at);
    printf("%04x\n", checksum(&d));
    return 0;
}
