// x alone does not decide, since y does as well. What w changes is not known: the call beside it is part of the way.
// run:
// unclear: 18 19
#include <assert.h>

static int calls; /* RELEVANT */

static int called(int result)
{
    calls = calls + 1; /* RELEVANT */
    return result;
}

int main(void)
{
    int x = 5;
    int y = 1;
    int w = 1;
    int both = (x > 3 || y == 1) && w == 1;
    int z = both && called(0);
    assert(!both || calls != 1);
    return z;
}
