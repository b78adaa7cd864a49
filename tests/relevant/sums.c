// By the final definition the state before a statement is fixed, so that the first sum is relevant: z is what it was. The
// older definition let z be chosen anew to make up for it.
// run: --entry sums --input x=-1 --input y=-1 --input z=-1
#include <assert.h>

int sums(int x, int y, int z)
{
    x = x + y; /* RELEVANT */
    x = x + z; /* RELEVANT */
    y = y + z;
    assert(x >= 0);
    return y;
}

int main(void)
{
    return sums(1, 2, 3);
}
