/* Run-length encoding of standard input, line by line. */
// run:
// stdin: aaabccddd\nxyz\n
// fails: output
// class: wrong output
// fixed: if (run > 0)
#include <stdio.h>

static void emit(int c, int run)
{
    if (run > 1)
        printf("%d", run);
    putchar(c);
}

static void encode_line(const char *line)
{
    int current = 0, run = 0;

    for (; *line && *line != '\n'; line++) {
        if (*line == current) {
            run++;
            continue;
        }
        if (run > 0)
            emit(current, run);
        current = *line;
        run = 1;
    }
    if (run > 1) /* CAUSE FAILS */
        emit(current, run);
    putchar('\n'); /* FAILS */
}

int main(void)
{
    char line[256];
    int lines = 0;

    while (fgets(line, sizeof line, stdin) != NULL) {
        encode_line(line);
        lines++;
    }
    printf("%d lines\n", lines);
    return 0;
}
