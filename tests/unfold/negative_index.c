// args: 2
// args: 3
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]), before[4] = {1, 2, 3, 4}, a[4] = {10, 20, 30, 40};
    int *p = a + n;
    printf("%d %d %d\n", p[-1], p[-2], a[n - 1]);
    int *q = a - 1 + n;
    *q = 5;
    printf("%d %d\n", a[n - 1], before[n]);
    return 0;
}
