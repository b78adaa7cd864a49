/* Are the brackets of a text balanced? Status 0 if so, 1 if not, 2 if too deep. */
// run: --expect-status 0
// stdin: f(a[1], {b: [2, (3)]})\n
// fails: status
// class: exit status, off by one
// fixed: if (s.depth == 0 || s.open[--s.depth] != partner(c))
#include <stdio.h>

#define DEEP 32

struct stack {
    char open[DEEP];
    int depth;
};

static char partner(int close) {
    switch (close) {
    case ')':
        return '(';
    case ']':
        return '[';
    case '}':
        return '{';
    }
    return 0;
}

static int check(FILE *in) {
    struct stack s = {{0}, 0};
    int c;
    while ((c = fgetc(in)) != EOF) {
        if (c == '(' || c == '[' || c == '{') {
            if (s.depth == DEEP)
                return 2;
            s.open[s.depth++] = (char)c;
        } else if (partner(c)) {
            if (s.depth == 0 || s.open[s.depth--] != partner(c)) /* CAUSE */
                return 1;
        }
    }
    return s.depth == 0 ? 0 : 1;
}

int main(void) {
    int result = check(stdin);
    if (result == 0)
        puts("balanced");
    return result; /* FAILS */
}
