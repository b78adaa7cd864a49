// What is chosen later decides a condition of two parts, of which the run saw one. That has nothing to do with what `limit`
// was: with another constant the assertion holds, whatever is chosen.
// run: --nondet 0
// unclear: 13

#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int limit = 3; /* RELEVANT */
    int used = 1;
    if (__VERIFIER_nondet_int() && used > 0)
        used = 2;
    assert(limit >= 4);
    return 0;
}
