#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf back;
static volatile int rounds;
static int gone;

static void leave(int signal)
{
    (void)signal;
    gone++;
    siglongjmp(back, 1);
}

static void work(int n)
{
    for (;;)
        rounds += n;
}

int main(void)
{
    struct itimerval soon = {{0, 0}, {0, 300}};
    signal(SIGALRM, leave);
    for (int i = 0; i < 2; i++) {
        setitimer(ITIMER_REAL, &soon, 0);
        if (sigsetjmp(back, 1) == 0)
            work(1);
    }
    assert(gone == 1);
    return 0;
}

// The jump leaves work() in the middle of its loop, twice.
// run:
// spins: until then
// fails: 32 assertion gone
// says: gone is 2 after 2 runs of line 13, in leave(): gone++
