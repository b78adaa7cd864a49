#include <assert.h>
int __VERIFIER_nondet_int(void);
int state = 1, connected, sent;
void open_it(void) { if (state == 1) { connected = 1; state = 2; } }
void send_it(void) { if (state == 2) { assert(connected == 1); sent = sent + 1; state = 3; } }
void close_it(void) { if (state == 3) { connected = 0; state = 1; } }
int main(void) {
    while (1) {
        int what = __VERIFIER_nondet_int();
        if (what == 1) open_it(); else if (what == 2) send_it(); else if (what == 3) close_it(); else break;
        assert(state >= 1 && state <= 3);
    }
    return 0;
}
