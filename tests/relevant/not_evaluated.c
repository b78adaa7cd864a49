// What || did not come to would have held as well.
// run:
#include <assert.h>

int main(void)
{
    int x = 5;
    int w = 1;
    int z = 0;
    if (x > 3 || w == 1)
        z = 0; /* RELEVANT */
    assert(z != 0);
    return 0;
}
