// Static fault localization for simple bugs, Figure 1: the loop should begin with 0.
// traces: 1, complete
#include <assert.h>

int main(void) {
    int p1, p2, i;
    p1 = 0;
    p2 = 0;
    i = 1; // relevant in all
    while (i < 10) {
        if (i == 0) {
            p1 = 1;
            p2 = 1;
        }
        assert(p1 != 0 && p2 != 0);
        i = i + 1;
    }
    return 0;
}
