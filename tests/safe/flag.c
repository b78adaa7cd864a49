#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int done = 0, seen = 0;
    while (!done) { if (__VERIFIER_nondet_int()) { seen = 1; done = 1; } }
    assert(seen == 1);
    return 0;
}
