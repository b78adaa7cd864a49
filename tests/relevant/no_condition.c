// An assertion that never holds has no condition of its own: what was asserted before it is part of the way, no more.
// run:
#include <assert.h>

int main(void)
{
    int x = 5; /* RELEVANT */
    assert(x > 3);
    int y = 1; /* RELEVANT */
    if (y > 0)
        x = 2;
    assert(0);
    return x;
}
