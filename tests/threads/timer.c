#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int ticks;
static volatile int last;

static void tick(union sigval given)
{
    last = given.sival_int * 2;
    ticks++;
}

int main(void)
{
    timer_t timer;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_value.sival_int = 21;
    event.sigev_notify_function = tick;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return 1;
    struct itimerspec soon = {.it_value.tv_nsec = 1000000};
    timer_settime(timer, 0, &soon, NULL);
    while (ticks == 0)
        usleep(1000);
    assert(last == 41);
    return 0;
}

// run:
// fails: 31 assertion last == 41
// says: last is 42
// says: a thread that began in tick()
