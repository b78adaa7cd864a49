// A stock list with names of fixed size.
// run:
// stdin: bolt 40 5\nscrewdriver 3 450\nnut 70 4\n
// fails: memory
// class: inside a struct, string function
// memory: out-of-bounds 8 8
// fixed: snprintf(it->name, sizeof it->name, "%s", name);
#include <stdio.h>
#include <string.h>

#define MAX_ITEMS 10

struct item {
    char name[8];
    int quantity;
    int price;
};

struct stock {
    struct item items[MAX_ITEMS];
    int n;
};

static void stock_add(struct stock *s, const char *name, int quantity, int price)
{
    struct item *it = &s->items[s->n++];
    it->quantity = quantity;
    it->price = price;
    strcpy(it->name, name); /* CAUSE FAILS */
}

static long worth(const struct stock *s)
{
    long sum = 0;
    for (int i = 0; i < s->n; i++)
        sum += (long)s->items[i].quantity * s->items[i].price;
    return sum;
}

int main(void)
{
    struct stock s = {.n = 0}; /* MADE */
    char name[64];
    int quantity, price;

    while (s.n < MAX_ITEMS && scanf("%63s %d %d", name, &quantity, &price) == 3)
        stock_add(&s, name, quantity, price);
    for (int i = 0; i < s.n; i++)
        printf("%-10s %4d\n", s.items[i].name, s.items[i].quantity);
    printf("worth %ld\n", worth(&s));
    return 0;
}
