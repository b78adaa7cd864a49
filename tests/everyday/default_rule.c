/* Shipping rules: the first rule that fits the weight is used. */
// run: -- 12
// fails: memory
// class: use after return or scope
// memory: use-after-scope
// detected: asan
// fixed: static struct rule fallback; fallback.limit = weight; fallback.price = 25; fallback.next = NULL;
#include <stdio.h>
#include <stdlib.h>

struct rule {
    int limit;
    int price;
    const struct rule *next;
};

static const struct rule heavy = {10, 12, NULL};
static const struct rule middle = {5, 8, &heavy};
static const struct rule light = {2, 5, &middle};

static int price_of(int weight)
{
    const struct rule *chosen = NULL;

    for (const struct rule *r = &light; r != NULL; r = r->next) {
        if (weight <= r->limit) {
            chosen = r;
            break;
        }
    }
    if (chosen == NULL) {
        struct rule fallback = {weight, 25, NULL}; /* CAUSE MADE */
        chosen = &fallback;
    }
    return chosen->price; /* FAILS */
}

int main(int argc, char **argv)
{
    int total = 0;
    for (int i = 1; i < argc; i++) {
        int weight = atoi(argv[i]);
        int price = price_of(weight);
        printf("%d kg: %d\n", weight, price);
        total += price;
    }
    printf("total %d\n", total);
    return 0;
}
