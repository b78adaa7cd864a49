// What is assigned in a condition and used there at once: it is not known what another value would do, and that is said.
// run:
// unclear: 9
#include <assert.h>

int main(void)
{
    int left = 5; /* RELEVANT */
    if (--left != 2)
        left = 9; /* RELEVANT */
    assert(left == 7);
    return 0;
}
