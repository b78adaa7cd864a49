#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int kind = __VERIFIER_nondet_int(), size = 0;
    switch (kind) { case 0: size = 1; break; case 1: size = 2; break; case 2: size = 4; break; default: return 0; }
    assert(size >= 1 && size <= 4);
    return 0;
}
