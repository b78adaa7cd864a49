// run: --expect-status 0
// traces: 1, complete
#include <stdlib.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int wanted = __VERIFIER_nondet_int(); // relevant in all
    if (wanted == 7)
        exit(3);
    return 0;
}
