// Averages large sensor readings.
// run:
// stdin: 1500000000 1400000000 1300000000\n
// fails: output
// class: wrong output, integer overflow
// fixed: long long total;
#include <stdio.h>

#define WINDOW 4

struct window {
    int readings[WINDOW];
    int next;
    int filled;
    int total; /* CAUSE */
};

static void window_add(struct window *w, int reading)
{
    if (w->filled == WINDOW)
        w->total -= w->readings[w->next];
    else
        w->filled++;
    w->readings[w->next] = reading;
    w->total += reading;
    w->next = (w->next + 1) % WINDOW;
}

static int window_mean(const struct window *w)
{
    if (w->filled == 0)
        return 0;
    return w->total / w->filled;
}

static int window_peak(const struct window *w)
{
    int peak = 0;
    for (int i = 0; i < w->filled; i++)
        if (w->readings[i] > peak)
            peak = w->readings[i];
    return peak;
}

int main(void)
{
    struct window w = {{0}, 0, 0, 0};
    int reading;

    while (scanf("%d", &reading) == 1)
        window_add(&w, reading);
    printf("peak %d\n", window_peak(&w));
    printf("mean %d\n", window_mean(&w)); /* FAILS */
    return 0;
}
