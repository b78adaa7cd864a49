#include <assert.h>
int __VERIFIER_nondet_int(void);
int count, full;
void put(void) { if (!full) { count = 1; full = 1; } }
void take(void) { if (full) { assert(count == 1); count = 0; full = 0; } }
int main(void) { while (1) { if (__VERIFIER_nondet_int()) put(); else take(); if (__VERIFIER_nondet_int()) break; } assert(full == count); return 0; }
