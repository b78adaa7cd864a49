#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static uintptr_t mixed;
static uint32_t halves[2];

static void *set_both(void *nothing)
{
    *(int *)(mixed ^ 0x5a5a5a5a) = 3;
    *(int *)((uintptr_t)halves[1] << 32 | halves[0]) = 5;
    return nothing;
}

int main(void)
{
    pthread_t thread;
    int first, second;
    mixed = (uintptr_t)&first ^ 0x5a5a5a5a;
    halves[0] = (uint32_t)(uintptr_t)&second;
    halves[1] = (uint32_t)((uintptr_t)&second >> 32);
    pthread_create(&thread, NULL, set_both, NULL);
    pthread_join(thread, NULL);
    if (second != 5)
        printf("%d\n", second);
    assert(first == 4);
    return 0;
}

// Nobody may say that `first` or `second` is unset: the other thread made their addresses out of numbers.
// run:
// fails: 27 assertion first
// says: first is 3
