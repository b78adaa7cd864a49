// Static fault localization for simple bugs, Figure 7: one danger automaton has all error traces of the loop.
// traces: 1, complete
#include <assert.h>

int main(void) {
    int x = 0; // relevant in all
    while (x < 1000) {
        x++; // relevant in all
    }
    assert(x != 1000);
    return 0;
}
