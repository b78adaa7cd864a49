#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) { int a = 0, b = 1; while (__VERIFIER_nondet_int()) { int t = a; a = b; b = t; } assert(a == 0 || a == 1); assert(a != b); return 0; }
