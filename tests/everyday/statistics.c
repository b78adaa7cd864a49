// Mean, variance and range of numbers on standard input.
// run:
// stdin: 2 4 4 4 5 5 7 10\n
// fails: output
// class: wrong output, double rounding
// fixed: s.mean = (double)sum / n;
#include <math.h>
#include <stdio.h>

#define MAX 100

struct summary {
    double mean;
    double deviation;
    int lowest, highest;
};

static struct summary summarise(const int *v, int n)
{
    struct summary s = {0, 0, v[0], v[0]};
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += v[i];
        if (v[i] < s.lowest)
            s.lowest = v[i];
        if (v[i] > s.highest)
            s.highest = v[i];
    }
    s.mean = sum / n; /* CAUSE */
    double squares = 0;
    for (int i = 0; i < n; i++)
        squares += (v[i] - s.mean) * (v[i] - s.mean);
    s.deviation = sqrt(squares / n);
    return s;
}

int main(void)
{
    int v[MAX], n = 0;
    while (n < MAX && scanf("%d", &v[n]) == 1)
        n++;
    if (n == 0)
        return 1;
    struct summary s = summarise(v, n);
    printf("n    %d\n", n);
    printf("mean %.3f\n", s.mean); /* FAILS */
    printf("sd   %.3f\n", s.deviation);
    printf("%d to %d\n", s.lowest, s.highest);
    return 0;
}
