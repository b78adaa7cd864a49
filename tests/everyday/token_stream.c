// A tokenizer with one token of look-ahead.
// run: -- a+12
// fails: memory
// class: use after return or scope
// memory: use-after-return
// detected: asan
// fixed: static struct token t; t.kind = END; t.value = 0;
#include <ctype.h>
#include <stdio.h>

enum kind { END, NAME, NUMBER, SIGN };

struct token {
    enum kind kind;
    int value;
};

struct lexer {
    const char *at;
    struct token *ahead;
};

static void advance(struct lexer *lx)
{
    struct token t = {END, 0}; /* CAUSE MADE */
    while (*lx->at == ' ')
        lx->at++;
    if (isdigit((unsigned char)*lx->at)) {
        t.kind = NUMBER;
        while (isdigit((unsigned char)*lx->at))
            t.value = t.value * 10 + (*lx->at++ - '0');
    } else if (isalpha((unsigned char)*lx->at)) {
        t.kind = NAME;
        t.value = *lx->at++;
    } else if (*lx->at != '\0') {
        t.kind = SIGN;
        t.value = *lx->at++;
    }
    lx->ahead = &t;
}

static int count(struct lexer *lx, int kinds[])
{
    int n = 0;
    for (advance(lx); lx->ahead->kind != END; advance(lx)) { /* FAILS */
        kinds[lx->ahead->kind]++;
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct lexer lx = {argc > 1 ? argv[1] : "", NULL};
    int kinds[4] = {0};
    int n = count(&lx, kinds);
    printf("%d tokens: %d names, %d numbers\n", n, kinds[NAME], kinds[NUMBER]);
    return 0;
}
