// What is overwritten does not matter, what overwrites it does.
// run:
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int x = 1;
    int y = 2;
    int z = 3;
    z = __VERIFIER_nondet_int(); /* RELEVANT */
    assert(z > 10);
    return x + y;
}
