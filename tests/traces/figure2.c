// Static fault localization for simple bugs, Figure 2: a request that nobody respects.
// traces: 2, complete
#include <assert.h>

int __VERIFIER_nondet_int(void);

int main(void) {
    int p1, p2, i, stopOnRequest, stopRequested;
    p1 = 0;
    p2 = 0;
    i = 1; // relevant in all
    while (i < 10) {
        if (i == 0) {
            p1 = 1;
            p2 = 1;
        }
        stopOnRequest = 0; // relevant in some
        stopRequested = __VERIFIER_nondet_int(); // relevant in all
        if (stopRequested) {
            if (stopOnRequest) {
                return 0;
            }
        }
        assert(p1 != 0 && p2 != 0);
        i = i + 1;
    }
    return 0;
}
