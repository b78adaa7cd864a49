// Both decide whether the end is reached, although x is chosen later: y = 0 stops it for every x.
// run: --nondet 5
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int y = 42; /* RELEVANT */
    int x = __VERIFIER_nondet_int(); /* RELEVANT */
    if (x >= 0 && y >= 23)
        assert(0);
    return 0;
}
