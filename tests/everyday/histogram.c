// A histogram of exam scores from 0 to 100 in steps of ten.
// run:
// stdin: 55 61 100 72 68 9\n
// fails: memory
// class: stack overflow, off by one
// memory: out-of-bounds 40 40
// detected: asan
// fixed: int counts[11] = {0};
#include <stdio.h>

#define STEP 10

static int bucket(int score)
{
    if (score < 0)
        score = 0;
    if (score > 100)
        score = 100;
    return score / STEP;
}

static void bar(int n)
{
    while (n-- > 0)
        putchar('*');
    putchar('\n');
}

int main(void)
{
    int counts[10] = {0}; /* CAUSE MADE */
    int buckets = sizeof counts / sizeof counts[0];
    int score, seen = 0;

    while (scanf("%d", &score) == 1) {
        counts[bucket(score)]++; /* FAILS */
        seen++;
    }
    for (int i = 0; i < buckets; i++) {
        printf("%3d ", i * STEP);
        bar(counts[i]);
    }
    printf("%d scores\n", seen);
    return 0;
}
