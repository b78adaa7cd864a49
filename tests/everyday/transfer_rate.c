// Reports transfer rates from a log of "HH:MM:SS bytes" lines.
// run:
// stdin: 10:15:58 1000\n10:16:03 6000\n10:16:03 9000\n10:16:10 9700\n
// fails: signal
// class: division by zero
// fixed: if (n > 0 && t > last && bytes != done)
#include <stdio.h>

static long seconds(int h, int m, int s)
{
    return (h * 60L + m) * 60L + s;
}

static const char *unit(long rate)
{
    if (rate >= 1000000)
        return "MB/s";
    return rate >= 1000 ? "kB/s" : "B/s";
}

static void report(long amount, long time)
{
    long rate = amount / time; /* FAILS */
    long shown = rate;
    while (shown >= 1000)
        shown /= 1000;
    printf("%5ld bytes in %2ld s: %ld %s\n", amount, time, shown, unit(rate));
}

int main(void)
{
    int h, m, s, n = 0;
    long bytes, done = 0, last = 0;

    while (scanf("%d:%d:%d %ld", &h, &m, &s, &bytes) == 4) {
        long t = seconds(h, m, s);
        if (n > 0 && t >= last && bytes != done) /* CAUSE */
            report(bytes - done, t - last);
        last = t;
        done = bytes;
        n++;
    }
    printf("%d lines\n", n);
    return 0;
}
