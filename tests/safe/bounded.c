#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) { int x = 0; while (__VERIFIER_nondet_int()) { if (x < 100) x++; else x = 0; assert(x >= 0 && x <= 100); } return 0; }
