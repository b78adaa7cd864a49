#include <assert.h>
#include <signal.h>
#include <sys/time.h>

static volatile int rounds, seen;

static void look(int signal)
{
    (void)signal;
    seen = rounds + 1;
}

int main(void)
{
    struct itimerval soon = {{0, 0}, {0, 300}};
    signal(SIGALRM, look);
    setitimer(ITIMER_REAL, &soon, 0);
    while (!seen)
        rounds++;
    assert(seen == 1);
    return 0;
}

// The handler comes while the loop is at work.
// run:
// spins: until then
// fails: 20 assertion seen
// says: since line 10, in look()
