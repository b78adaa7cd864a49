// Shortens texts to a width.
// run: -- 9 shortened
// fails: output
// class: wrong output, off by one
// fixed: if (length > width) {
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void shorten(char *to, const char *text, size_t width)
{
    size_t length = strlen(text), kept = length;

    if (length >= width) { /* CAUSE */
        kept = width - 1;
    }
    for (size_t i = 0; i < kept; i++)
        to[i] = text[i];
    to[kept] = '\0';
}

int main(int argc, char **argv)
{
    char shown[64];
    size_t width = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;

    if (width < 2 || width >= sizeof shown)
        return 1;
    for (int i = 2; i < argc; i++) {
        shorten(shown, argv[i], width);
        printf("%s\n", shown); /* FAILS */
    }
    return 0;
}
