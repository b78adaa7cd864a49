#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int x = __VERIFIER_nondet_int(), first = 0, second = 0;
    if (x == 5) first = 1;
    if (x == 5) second = 1;
    assert(first == second);
    return 0;
}
