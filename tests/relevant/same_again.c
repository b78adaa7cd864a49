// The same value twice: only the second can be repaired. Error invariants would name the first.
// run:
#include <assert.h>

int main(void)
{
    int x = 7;
    x = 7; /* RELEVANT */
    assert(x > 10);
    return 0;
}
