#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    while (1) {
        int p1 = __VERIFIER_nondet_int(), p2 = __VERIFIER_nondet_int(), p3 = __VERIFIER_nondet_int();
        int l1 = 0, l2 = 0, l3 = 0;
        if (!__VERIFIER_nondet_int()) break;
        if (p1) l1 = 1;
        if (p2) l2 = 1;
        if (p3) l3 = 1;
        if (p1) { assert(l1 == 1); l1 = 0; }
        if (p2) { assert(l2 == 1); l2 = 0; }
        if (p3) { assert(l3 == 1); l3 = 0; }
    }
    return 0;
}
