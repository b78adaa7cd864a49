#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int token = 0, holder = 0;
    while (__VERIFIER_nondet_int()) {
        if (token == 0 && holder == 0) { holder = 1; token = 1; }
        else if (token == 1) { assert(holder == 1); holder = 2; token = 2; }
        else if (token == 2) { assert(holder == 2); holder = 0; token = 0; }
    }
    return 0;
}
