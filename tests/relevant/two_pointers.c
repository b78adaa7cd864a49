// Two pointers are never set since the loop begins at 1: to set one of them alone would not help.
// run:
#include <assert.h>
#include <stdlib.h>

int main(void)
{
    int *p1, *p2, i;
    p1 = 0;
    p2 = 0;
    i = 1; /* RELEVANT */
    while (i < 10) {
        if (i == 0) {
            p1 = malloc(sizeof(int));
            p2 = malloc(sizeof(int));
        }
        assert(p1 != 0 && p2 != 0);
        i = i + 1;
    }
    return 0;
}
