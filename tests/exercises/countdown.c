/* Counts down, one number a line. */
#include <stdio.h>

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    for (int i = n; i > 0; i--)
        printf("%d ", i); /* CAUSE */
    printf("go\n");
    return 0;
}
