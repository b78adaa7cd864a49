// A loop that ends by the second part of its condition: with another counter it ends all the same.
// run:
#include <assert.h>

int main(void)
{
    int limit = 7; /* RELEVANT */
    int found = 0; /* RELEVANT */
    for (int i = 0; i < 4 && limit < 5; i++)
        found = 1;
    assert(found != 0);
    return 0;
}
