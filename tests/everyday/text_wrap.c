// Fills a paragraph to a width.
// run: -- 18
// stdin: the quick brown fox\njumps over the lazy dog and   sleeps\n
// fails: output
// class: wrong output, off by one
// fixed: if (column > 0 && column + 1 + length > width) {
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct filler {
    int width;
    int column;
    int lines;
};

static void put_word(struct filler *f, const char *word)
{
    int length = (int)strlen(word);
    int width = f->width, column = f->column;

    if (column > 0 && column + length > width) { /* CAUSE FAILS */
        printf("\n");
        f->lines++;
        column = 0;
    }
    if (column > 0) {
        printf(" "); /* FAILS */
        column++;
    }
    printf("%s", word);
    f->column = column + length;
}

static int read_word(char *word, int size)
{
    int c, n = 0;
    while ((c = getchar()) == ' ' || c == '\n')
        ;
    while (c != EOF && c != ' ' && c != '\n') {
        if (n < size - 1)
            word[n++] = (char)c;
        c = getchar();
    }
    word[n] = '\0';
    return n;
}

int main(int argc, char **argv)
{
    struct filler f = {72, 0, 0};
    char word[80];

    if (argc > 1)
        f.width = atoi(argv[1]);
    while (read_word(word, sizeof word) > 0)
        put_word(&f, word);
    if (f.column > 0) {
        printf("\n");
        f.lines++;
    }
    return f.lines == 0;
}
