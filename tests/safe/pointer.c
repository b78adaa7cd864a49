#include <assert.h>
int __VERIFIER_nondet_int(void);
void set(int *p) { *p = 7; }
int main(void) { int x = 1, y = 2; if (__VERIFIER_nondet_int()) set(&x); else set(&y); assert(x == 7 || y == 7); return 0; }
