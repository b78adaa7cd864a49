// Squeezes runs of blanks in a line to one blank.
// run:
// stdin: a   b  c\n
// fails: memory
// class: overlapping copy, string function
// memory: overlap
// detected: asan valgrind
// fixed: memmove(at, at + 1, strlen(at + 1) + 1);
#include <stdio.h>
#include <string.h>

struct line {
    char text[64];
    int removed;
};

static char *double_blank(char *text)
{
    for (; *text; text++)
        if (text[0] == ' ' && text[1] == ' ')
            return text;
    return NULL;
}

static void squeeze(struct line *l)
{
    char *at;
    while ((at = double_blank(l->text)) != NULL) {
        strcpy(at, at + 1); /* CAUSE FAILS */
        l->removed++;
    }
}

int main(void)
{
    struct line l; /* MADE */
    int total = 0;
    while (fgets(l.text, sizeof l.text, stdin)) {
        l.removed = 0;
        squeeze(&l);
        fputs(l.text, stdout);
        total += l.removed;
    }
    printf("%d blanks removed\n", total);
    return 0;
}
