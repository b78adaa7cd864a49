#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int a = __VERIFIER_nondet_int(), r;
    if (a > 10) { if (a > 20) r = 3; else r = 2; } else { if (a < 0) r = 0; else r = 1; }
    if (a > 15) assert(r >= 2);
    if (a < 5) assert(r <= 1);
    return 0;
}
