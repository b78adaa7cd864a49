#include <assert.h>
int __VERIFIER_nondet_int(void);
int max(int a, int b) { return a > b ? a : b; }
int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), m = max(a, b); assert(m >= a && m >= b); return 0; }
