#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); if (x < -1000 || x > 1000) return 0; if (x < 0) x = -x; assert(x >= 0); return 0; }
