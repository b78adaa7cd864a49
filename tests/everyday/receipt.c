// A receipt in cents.
// run:
// stdin: 2 19.99\n1 4.35\n3 0.50\n
// fails: output
// class: wrong output, double rounding
// fixed: return (long)(amount * 100 + 0.5);
#include <stdio.h>

#define VAT 7

struct line {
    int quantity;
    long cents;
};

static long to_cents(double amount)
{
    return (long)(amount * 100); /* CAUSE */
}

static long line_total(const struct line *l)
{
    return l->quantity * l->cents;
}

static long tax(long net)
{
    return (net * VAT + 50) / 100;
}

static void money(const char *label, long cents)
{
    printf("%-8s %4ld.%02ld\n", label, cents / 100, cents % 100); /* FAILS */
}

int main(void)
{
    struct line lines[20];
    int n = 0, quantity;
    double price;

    while (n < 20 && scanf("%d %lf", &quantity, &price) == 2) {
        lines[n].quantity = quantity;
        lines[n].cents = to_cents(price);
        n++;
    }
    long net = 0;
    for (int i = 0; i < n; i++)
        net += line_total(&lines[i]);
    money("net", net);
    money("tax", tax(net));
    money("total", net + tax(net));
    return 0;
}
