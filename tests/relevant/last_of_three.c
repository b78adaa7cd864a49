// Only one of three is about the error.
// run:
#include <assert.h>

int main(void)
{
    int x = 1;
    int y = 2;
    int z = 3; /* RELEVANT */
    assert(z > 10);
    return x + y;
}
