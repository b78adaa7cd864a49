/* Reads lines, trims them and prints the longest. */
// run:
// stdin: one\n  three and\ntwo\n
// fails: memory
// class: double or invalid free
// memory: invalid-free 2
// detected: asan valgrind
// fixed: char *s = line; while (isspace((unsigned char)*s)) s++; memmove(line, s, strlen(s) + 1);
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_line(void)
{
    char buffer[100];
    if (!fgets(buffer, sizeof buffer, stdin))
        return NULL;
    char *line = malloc(strlen(buffer) + 1); /* MADE */
    strcpy(line, buffer);
    return line;
}

static char *trim(char *line)
{
    while (isspace((unsigned char)*line)) line++; /* CAUSE */
    size_t n = strlen(line);
    while (n > 0 && isspace((unsigned char)line[n - 1]))
        line[--n] = '\0';
    return line;
}

int main(void)
{
    char longest[100] = "";
    char *line;
    int n = 0;

    while ((line = read_line()) != NULL) {
        line = trim(line);
        if (strlen(line) > strlen(longest))
            strcpy(longest, line);
        free(line); /* FAILS */
        n++;
    }
    printf("longest of %d: %s\n", n, longest);
    return 0;
}
