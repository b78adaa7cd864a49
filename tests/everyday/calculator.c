// A recursive-descent calculator.
// run: -- 10-4-3 2*(3+4) 20/2/5
// fails: output
// class: wrong output
// fixed: int right = term();
#include <ctype.h>
#include <stdio.h>

static const char *input;

static int expression(void);

static int number(void)
{
    int n = 0;
    while (isdigit((unsigned char)*input))
        n = n * 10 + (*input++ - '0');
    return n;
}

static int factor(void)
{
    if (*input == '(') {
        input++;
        int n = expression();
        if (*input == ')')
            input++;
        return n;
    }
    if (*input == '-') {
        input++;
        return -factor();
    }
    return number();
}

static int term(void)
{
    int left = factor();
    while (*input == '*' || *input == '/') {
        char op = *input++;
        int right = factor();
        left = op == '*' ? left * right : right ? left / right : 0;
    }
    return left;
}

static int expression(void)
{
    int left = term();
    while (*input == '+' || *input == '-') {
        char op = *input++;
        int right = expression(); /* CAUSE */
        left = op == '+' ? left + right : left - right;
    }
    return left;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        input = argv[i];
        int value = expression();
        if (*input != '\0')
            printf("%s: error at %s\n", argv[i], input);
        else
            printf("%s = %d\n", argv[i], value); /* FAILS */
    }
    return 0;
}
