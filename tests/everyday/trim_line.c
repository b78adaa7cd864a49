// Trims lines: spaces at both ends are left out.
// run:
// stdin:   two words   \n
// fails: output
// class: wrong output, off by one
// fixed: while (end > start && is_space(line[end - 1]))
#include <stdio.h>
#include <string.h>

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static size_t trim(char *line)
{
    size_t start = 0, end = strlen(line), n = 0;

    while (is_space(line[start]))
        start++;
    while (end > start && is_space(line[end])) /* CAUSE */
        end--;
    while (start + n < end) {
        line[n] = line[start + n];
        n++;
    }
    line[n] = '\0';
    return n;
}

int main(void)
{
    char line[256];

    while (fgets(line, sizeof line, stdin) != NULL) {
        trim(line);
        printf("<%s>\n", line); /* FAILS */
    }
    return 0;
}
