// Joins its arguments with a separator.
// run: -- hello world
// fails: memory
// class: heap overflow, unterminated string
// memory: out-of-bounds 11 11
// detected: asan valgrind
// fixed: char *joined = malloc(total + (n - 1) * strlen(sep) + 1);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t total_length(char **parts, int n)
{
    size_t total = 0;
    for (int i = 0; i < n; i++)
        total += strlen(parts[i]);
    return total;
}

static char *join(char **parts, int n, const char *sep)
{
    size_t total = total_length(parts, n);
    char *joined = malloc(total + (n - 1) * strlen(sep)); /* CAUSE MADE */
    size_t at = 0;

    if (joined == NULL)
        return NULL;
    for (int i = 0; i < n; i++) {
        if (i > 0)
            for (const char *s = sep; *s; s++)
                joined[at++] = *s;
        for (const char *s = parts[i]; *s; s++)
            joined[at++] = *s;
    }
    joined[at] = '\0'; /* FAILS */
    return joined;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    char *text = join(argv + 1, argc - 1, " ");
    puts(text);
    free(text);
    return 0;
}
