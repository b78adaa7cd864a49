// Station codes of four letters.
// run: -- Oslo Rome Bonn
// fails: memory
// class: unterminated string, stack overflow
// memory: out-of-bounds 4 4
// detected: asan
// fixed: char code[5] = "";
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int vowels(const char *s)
{
    int n = 0;
    for (; *s; s++)
        if (strchr("AEIOUaeiou", *s))
            n++;
    return n;
}

static size_t code_length(const char *name)
{
    char code[4]; /* CAUSE MADE */
    strncpy(code, name, 4);
    for (int i = 0; i < 4; i++)
        code[i] = (char)toupper((unsigned char)code[i]);
    return strlen(code); /* FAILS */
}

int main(int argc, char **argv)
{
    size_t total = 0;
    for (int i = 1; i < argc; i++) {
        size_t n = code_length(argv[i]);
        printf("%s: %zu letters, %d vowels\n", argv[i], n, vowels(argv[i]));
        total += n;
    }
    printf("%zu\n", total);
    return 0;
}
