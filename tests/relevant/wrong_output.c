// A number is printed that another height would make right; no width would.
// run:
// out: 12
#include <stdio.h>

int main(void)
{
    int width = 3;
    int height = 5; /* RELEVANT */
    int area = width * height; /* RELEVANT */
    int other = 1;
    printf("%d\n", area);
    return other - 1;
}
