/* Splits a command line into at most four words. */
// run:
// stdin: cp -r from to --verbose\n
// fails: memory
// class: stack overflow, off by one
// memory: out-of-bounds 32 32
// detected: asan
// fixed: while (*p && n < MAX_WORDS) {
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MAX_WORDS 4

static int split(char *line, char *words[])
{
    int n = 0;
    char *p = line;
    while (*p && n <= MAX_WORDS) { /* CAUSE */
        while (isspace((unsigned char)*p))
            p++;
        if (*p == '\0')
            break;
        words[n++] = p; /* FAILS */
        while (*p && !isspace((unsigned char)*p))
            p++;
        if (*p)
            *p++ = '\0';
    }
    return n;
}

static int is_option(const char *word)
{
    return word[0] == '-' && word[1] != '\0';
}

static void run_line(char *line)
{
    char *words[MAX_WORDS]; /* MADE */
    int options = 0;
    int n = split(line, words);
    for (int i = 0; i < n; i++) {
        if (is_option(words[i]))
            options++;
        printf("%d: %s\n", i, words[i]);
    }
    printf("%d words, %d options\n", n, options);
}

int main(void)
{
    char line[200];
    while (fgets(line, sizeof line, stdin))
        run_line(line);
    return 0;
}
