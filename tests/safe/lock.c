#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int locked = 0;
    while (__VERIFIER_nondet_int()) {
        assert(locked == 0); locked = 1;
        if (__VERIFIER_nondet_int()) { assert(locked == 1); locked = 0; } else { locked = 0; }
    }
    assert(locked == 0);
    return 0;
}
