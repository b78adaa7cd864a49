// A set of small numbers as bits: which of the days 0 to 64 are taken?
// run: -- 3 17 64
// fails: memory
// class: stack overflow, off by one
// memory: out-of-bounds 8 8
// detected: asan
// fixed: uint32_t taken[DAYS / 32 + 1] = {0};
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define DAYS 65

static void set_add(uint32_t *set, unsigned day)
{
    set[day / 32] |= UINT32_C(1) << (day % 32); /* FAILS */
}

static int set_has(const uint32_t *set, unsigned day)
{
    return (set[day / 32] >> (day % 32)) & 1;
}

static int set_size(const uint32_t *set, unsigned limit)
{
    int n = 0;
    for (unsigned day = 0; day < limit; day++)
        n += set_has(set, day);
    return n;
}

int main(int argc, char **argv)
{
    uint32_t taken[DAYS / 32] = {0}; /* CAUSE MADE */

    for (int i = 1; i < argc; i++) {
        int day = atoi(argv[i]);
        if (day < 0 || day >= DAYS) {
            fprintf(stderr, "no such day: %d\n", day);
            continue;
        }
        set_add(taken, (unsigned)day);
    }
    printf("%d days\n", set_size(taken, DAYS));
    return 0;
}
