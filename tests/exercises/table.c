/* A row of the multiplication table. */
#include <stdio.h>

int main(void)
{
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    for (int i = 1; i <= 3; i++)
        printf("%d x %d = %d\n", n, i, n + i); /* CAUSE */
    printf("done\n");
    return 0;
}
