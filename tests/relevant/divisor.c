// No divisor makes it 13, and zero is none.
// run:
#include <assert.h>

int main(void)
{
    int by = 5;
    int share = 12 / by; /* RELEVANT */
    assert(share == 13);
    return 0;
}
