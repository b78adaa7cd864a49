// With another constant in `x` the second part of the assertion is evaluated, which the run did not do: only a run tells
// that it holds. In `y` no constant helps.

#include <assert.h>

int main(void) {
    int y = 0;
    int x = 0; /* RELEVANT */
    assert(x >= 4 && y <= 2);
    return 0;
}
