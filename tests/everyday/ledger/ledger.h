#ifndef LEDGER_H
#define LEDGER_H

struct entry {
    char account[16];
    int amount;
    struct entry *next;
};

struct ledger {
    struct entry *first;
    int count;
};

void ledger_post(struct ledger *l, const char *account, char sign, int amount);
int ledger_balance(const struct ledger *l, const char *account);
void ledger_close(struct ledger *l);

#endif
