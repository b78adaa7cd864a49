// Counts words and prints them, most frequent first.
// run:
// stdin: be or not to be that is the question or be\n
// fails: output
// class: wrong output
// fixed: return y->count - x->count;
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 50

struct word {
    char text[20];
    int count;
    int first;
};

static int compare(const void *a, const void *b)
{
    const struct word *x = a;
    const struct word *y = b;
    if (x->count == y->count)
        return x->first - y->first;
    return x->count - y->count; /* CAUSE */
}

static struct word *lookup(struct word *words, int *n, const char *text)
{
    for (int i = 0; i < *n; i++)
        if (strcmp(words[i].text, text) == 0)
            return &words[i];
    if (*n == MAX_WORDS)
        return NULL;
    struct word *w = &words[*n];
    snprintf(w->text, sizeof w->text, "%s", text);
    w->count = 0;
    w->first = (*n)++;
    return w;
}

int main(void)
{
    struct word words[MAX_WORDS];
    char text[20];
    int n = 0;

    while (scanf("%19s", text) == 1) {
        for (char *p = text; *p; p++)
            *p = (char)tolower((unsigned char)*p);
        struct word *w = lookup(words, &n, text);
        if (w)
            w->count++;
    }
    qsort(words, n, sizeof words[0], compare);
    for (int i = 0; i < n && i < 3; i++)
        printf("%2d %s\n", words[i].count, words[i].text); /* FAILS */
    return 0;
}
