// A negative x is enough, whatever y is: the parts of an assertion that were not evaluated count, too.
// run: --nondet -1
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int y = 7;
    int x = __VERIFIER_nondet_int(); /* RELEVANT */
    assert(x >= 0 && y >= 0);
    return 0;
}
