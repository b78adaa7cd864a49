// A request to stop, which is not respected: on this way the flag would have helped.
// run: --nondet 1
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int set = 0; /* RELEVANT */
    int stop_on_request = 0; /* RELEVANT */
    int stop_requested = __VERIFIER_nondet_int(); /* RELEVANT */
    if (stop_requested) {
        if (stop_on_request)
            return 0;
    }
    assert(set);
    return 0;
}
