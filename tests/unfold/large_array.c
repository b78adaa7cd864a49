// args: 9000
#include <stdio.h>
#include <stdlib.h>
static int big[10000];
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    for (int i = 0; i < 3; i++) big[n + i * 100] = i + 1;
    int *p = big + n;
    p[100] += 5;
    printf("%d %d %d\n", big[n], big[n + 100], big[n + 1]);
    return 0;
}
