#include "ledger.h"
#include <stdlib.h>
#include <string.h>

void ledger_post(struct ledger *l, const char *account, char sign, int amount)
{
    struct entry *e = malloc(sizeof *e);
    strncpy(e->account, account, sizeof e->account - 1);
    e->account[sizeof e->account - 1] = '\0';
    e->amount = sign == '-' && l->count > 1 ? -amount : amount; /* CAUSE */
    e->next = l->first;
    l->first = e;
    l->count++;
}

int ledger_balance(const struct ledger *l, const char *account)
{
    int sum = 0;
    for (const struct entry *e = l->first; e != NULL; e = e->next)
        if (strcmp(e->account, account) == 0)
            sum += e->amount;
    return sum;
}

void ledger_close(struct ledger *l)
{
    while (l->first != NULL) {
        struct entry *dead = l->first;
        l->first = dead->next;
        free(dead);
    }
    l->count = 0;
}
