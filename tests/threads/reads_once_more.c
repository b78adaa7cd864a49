#include <stdio.h>
#include <unistd.h>

int main(void)
{
    int ends[2], sum = 0;
    char byte;
    if (pipe(ends) != 0)
        return 2;
    for (int i = 0; i < 2000; i++)
        write(ends[1], "x", 1);
    for (int i = 0; i <= 2000; i++) {
        read(ends[0], &byte, 1);
        sum += byte;
    }
    printf("%d\n", sum);
    return 0;
}

// It has gone round often, and then it waits: that is no loop that goes round.
// run:
// hangs: 13 it waits in read()
// says: i is 2000
