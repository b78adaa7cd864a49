// A server that goes on for ever unless its counter is wrong: no run ends, and that is no failure.

#include <assert.h>

int main(void) {
    int step = 3; /* RELEVANT */
    int count = 0; /* RELEVANT */
    for (;;) {
        count = (count + step) & 7; /* RELEVANT */
        assert(count != 3);
    }
}
