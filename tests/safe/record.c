#include <assert.h>
int __VERIFIER_nondet_int(void);
struct account { int balance, open; };
int main(void) {
    struct account a; a.balance = 0; a.open = 1;
    while (a.open) { int d = __VERIFIER_nondet_int(); if (d > 0 && d < 100 && a.balance < 1000) a.balance += d; else a.open = 0; }
    assert(a.balance >= 0);
    return 0;
}
