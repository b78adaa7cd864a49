#include <assert.h>
int __VERIFIER_nondet_int(void);
int main(void) {
    int state = 10, flag = 0;
    while (1) {
        if (state == 10) { if (__VERIFIER_nondet_int()) state = 20; }
        else if (state == 20) { flag = 1; state = 30; }
        else if (state == 30) { assert(flag == 1); if (__VERIFIER_nondet_int()) break; state = 40; }
        else if (state == 40) { flag = 0; state = 10; }
        else assert(0);
    }
    return 0;
}
