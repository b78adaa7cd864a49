#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) { int d = __VERIFIER_nondet_int(); if (d <= 0) d = 1; int q = 100 / d; assert(d > 0); return q > 100; }
