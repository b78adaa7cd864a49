/* Unlimited natural numbers, least digit first. */
// run: -- 99999 8
// fails: output
// class: wrong output
// fixed: if (carry > 0)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS 60

typedef struct {
    int len;
    unsigned char d[DIGITS];
} number;

static number parse(const char *s)
{
    number n;
    memset(&n, 0, sizeof n);
    n.len = (int)strlen(s);
    for (int i = 0; i < n.len; i++)
        n.d[i] = s[n.len - 1 - i] - '0';
    return n;
}

static void times(number *n, int factor)
{
    int carry = 0;
    for (int i = 0; i < n->len; i++) {
        int v = n->d[i] * factor + carry;
        n->d[i] = v % 10;
        carry = v / 10;
    }
    if (carry > 9) /* CAUSE */
        n->d[n->len++] = carry;
}

static void print(const number *n)
{
    for (int i = n->len - 1; i >= 0; i--)
        putchar('0' + n->d[i]); /* FAILS */
    putchar('\n');
}

int main(int argc, char **argv)
{
    if (argc != 3 || strlen(argv[1]) > 40)
        return 2;
    number n = parse(argv[1]);
    int factor = atoi(argv[2]);
    print(&n);
    times(&n, factor);
    print(&n);
    return 0;
}
