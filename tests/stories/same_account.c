/* Bank accounts: a transfer to the same account counts twice. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define MAX 10

struct account {
    char owner[16];
    long cents;
    int frozen;
};

struct bank {
    struct account accounts[MAX];
    int count;
    long fees;
};

static int open_account(struct bank *b, const char *owner, long cents)
{
    struct account *a = &b->accounts[b->count];
    strncpy(a->owner, owner, sizeof a->owner - 1);
    a->cents = cents;
    a->frozen = 0;
    return b->count++;
}

static long fee(long amount)
{
    long f = amount / 100;
    if (f < 50)
        f = 50;
    return f;
}

static int transfer(struct bank *b, int from, int to, long amount)
{
    long f = fee(amount);
    long have = b->accounts[from].cents;
    long other = b->accounts[to].cents;
    if (b->accounts[from].frozen || b->accounts[to].frozen)
        return -1;
    if (have < amount)
        return -1;
    b->accounts[from].cents = have - amount - f;
    b->accounts[to].cents = other + amount;
    b->fees += f;
    return 0;
}

static long total(const struct bank *b)
{
    long sum = b->fees;
    int i;
    for (i = 0; i < b->count; i++)
        sum += b->accounts[i].cents;
    return sum;
}

int main(void)
{
    static struct bank b;
    long before;
    int anna = open_account(&b, "anna", 100000);
    int ben = open_account(&b, "ben", 25000);
    int cleo = open_account(&b, "cleo", 5000);
    before = total(&b);
    transfer(&b, anna, ben, 20000);
    transfer(&b, ben, cleo, 45100);
    transfer(&b, cleo, anna, 300);
    transfer(&b, anna, anna, 1000);
    printf("total %ld\n", total(&b));
    assert(total(&b) == before);
    return 0;
}

// says: fails: before is 130000 and total() is 131050
// says: b->accounts[0].cents is 81100 since line 47, in transfer(&b, anna, anna, 1000)
// shows: 47 57
// run:
