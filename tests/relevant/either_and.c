// x alone does not decide, since y does as well. Where w leads, the call beside it is not made: that the program passes then
// is known from a run.
// run:
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
    int w = 1; /* RELEVANT */
    int both = (x > 3 || y == 1) && w == 1; /* RELEVANT */
    int z = both && called(0);
    assert(!both || calls != 1);
    return z;
}
