// An index says which cell is written, not where the run goes: another one is no way out.
// traces: 2, complete
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

int main(void) {
    int cells[2];
    cells[0] = 0;
    cells[1] = 0;
    int other = 1; // relevant in all
    int index = __VERIFIER_nondet_int() & 1;
    cells[index] = 7;
    assert(other == 3);
    return 0;
}
