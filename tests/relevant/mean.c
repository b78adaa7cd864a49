// A mean of one number too many: constants that repair it are tried by running the program.
// run:
#include <assert.h>
#include <stdio.h>

static int total(const int *numbers, int count)
{
    int sum = 0; /* RELEVANT */
    for (int i = 0; /* RELEVANT */
         i <= count;
         i++) /* RELEVANT */
        sum += numbers[i]; /* RELEVANT */
    return sum; /* RELEVANT */
}

int main(void)
{
    int scores[5] = {10, 20, 30, 40, 50}; /* RELEVANT */
    int count = 4; /* RELEVANT */
    int unused = 3;
    int mean = total(scores, count) / count; /* RELEVANT */
    printf("%d\n", mean);
    assert(mean <= 30);
    return unused;
}
