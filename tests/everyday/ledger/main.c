// A ledger in several files: postings are kept in a list and summed per account.
// run:
// stdin: + cash 100\n- cash 30\n+ rent 30\n- cash 5\n
// fails: assertion
// class: assertion
// fixed: e->amount = sign == '-' ? -amount : amount;
#include "ledger.h"
#include <assert.h>
#include <stdio.h>

int main(void)
{
    struct ledger book = {NULL, 0};
    char sign, account[16];
    int amount;

    while (scanf(" %c %15s %d", &sign, account, &amount) == 3)
        ledger_post(&book, account, sign, amount);

    int cash = ledger_balance(&book, "cash");
    printf("cash %d, rent %d\n", cash, ledger_balance(&book, "rent"));
    assert(cash == 65); /* FAILS */
    ledger_close(&book);
    return 0;
}
