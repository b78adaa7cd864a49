// A bank: money moves between accounts, and none may get lost.
// run:
// fails: assertion
// class: assertion
// fixed: from->balance -= amount;
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MAX_ACCOUNTS 8

typedef struct account {
    char owner[16];
    long balance;
    long overdraft;
} account_t;

typedef struct bank {
    account_t accounts[MAX_ACCOUNTS];
    int n_accounts;
} bank_t;

static account_t *bank_open(bank_t *b, const char *owner, long deposit)
{
    account_t *a = &b->accounts[b->n_accounts++];
    strncpy(a->owner, owner, sizeof a->owner - 1);
    a->owner[sizeof a->owner - 1] = '\0';
    a->balance = deposit;
    a->overdraft = 0;
    return a;
}

static account_t *bank_find(bank_t *b, const char *owner)
{
    for (int i = 0; i < b->n_accounts; i++)
        if (strcmp(b->accounts[i].owner, owner) == 0)
            return &b->accounts[i];
    return NULL;
}

static int bank_transfer(bank_t *b, const char *src, const char *dst, long amount)
{
    account_t *from = bank_find(b, src);
    account_t *to = bank_find(b, dst);
    if (!from || !to)
        return -1;
    if (from->balance + from->overdraft < amount)
        return -1;
    from->balance = -amount; /* CAUSE */
    to->balance += amount;
    return 0;
}

static long bank_total(const bank_t *b)
{
    long sum = 0;
    for (int i = 0; i < b->n_accounts; i++)
        sum += b->accounts[i].balance;
    return sum;
}

int main(void)
{
    static bank_t bank;
    bank_open(&bank, "alice", 500);
    bank_open(&bank, "bob", 200);
    bank_open(&bank, "carol", 0)->overdraft = 100;

    if (bank_transfer(&bank, "dave", "bob", 10) != 0)
        puts("dave has no account");
    bank_transfer(&bank, "bob", "carol", 50);
    assert(bank_total(&bank) == 700); /* FAILS */
    printf("total %ld\n", bank_total(&bank));
    return 0;
}
