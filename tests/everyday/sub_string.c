/* Cuts fields out of a text by position. */
// run: -- 2024-06-30
// fails: memory
// class: unterminated string, heap overflow
// memory: out-of-bounds 4 4
// detected: asan valgrind
// fixed: piece = calloc(length + 1, 1);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *slice(const char *text, size_t from, size_t length)
{
    char *piece;
    if (from > strlen(text))
        from = strlen(text);
    if (length > strlen(text + from))
        length = strlen(text + from);
    piece = malloc(length); /* CAUSE MADE */
    memcpy(piece, text + from, length);
    return piece;
}

static int digits(const char *s)
{
    int value = 0;
    while (*s >= '0' && *s <= '9') /* FAILS */
        value = value * 10 + (*s++ - '0');
    return value;
}

int main(int argc, char **argv)
{
    if (argc < 2 || strlen(argv[1]) != 10)
        return 2;
    char *year = slice(argv[1], 0, 4);
    char *month = slice(argv[1], 5, 2);
    int y = digits(year);
    int m = digits(month);
    printf("quarter %d of %d\n", (m + 2) / 3, y);
    free(year);
    free(month);
    return 0;
}
