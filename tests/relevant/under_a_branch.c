// What leads into the branch, and what it sets there.
// run: --entry check --input input=0
#include <assert.h>

int check(int input)
{
    int x = 1;
    int y = input - 42; /* RELEVANT */
    if (y < 0)
        x = 0; /* RELEVANT */
    assert(x != 0);
    return x;
}

int main(void)
{
    return check(100);
}
