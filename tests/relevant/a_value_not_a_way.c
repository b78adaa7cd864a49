// What && gives is a value: whether its second part is evaluated is not the way that the run goes.
// run:
#include <assert.h>

int main(void)
{
    int x = 5;
    int between = x > 3 && x < 100;
    int z = 0; /* RELEVANT */
    assert(z != 0);
    return between;
}
