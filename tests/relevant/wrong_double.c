// Too small a number is printed. What makes it larger need not make it right: only what the program was seen to pass with counts.
// run:
// out: 3.80
// unclear: 9
#include <stdio.h>

int main(void)
{
    double rate = 0.5;
    double sum = 4.0 * (1.0 - rate); /* RELEVANT */
    printf("%.2f\n", sum);
    return 0;
}
