// open: a random number
// note: rand()
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    srand(1);
    int r = rand();
    if (r < 0) return 3;
    printf("%d\n", r % 10);
    return 0;
}
