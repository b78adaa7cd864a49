// Whatever the first one is, the second can be chosen so that the sum is still negative.
// run: --nondet -1 --nondet -1
#include <assert.h>

extern char __VERIFIER_nondet_char(void);

int main(void)
{
    unsigned char first = 200;
    unsigned char second = (unsigned char)__VERIFIER_nondet_char(); /* RELEVANT */
    unsigned char sum = (unsigned char)(first + second); /* RELEVANT */
    assert(sum < 128);
    return 0;
}
