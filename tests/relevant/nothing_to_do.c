// y has nothing to do with the error; counting blocked executions would say otherwise.
// run: --nondet 5
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int y = 10;
    int x = __VERIFIER_nondet_int(); /* RELEVANT */
    if (x > 0)
        assert(0);
    return y;
}
