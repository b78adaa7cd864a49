// args: 3
// args: 5
#include <stdio.h>
#include <stdlib.h>
static int total(int n, int a[n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int a[n], b[n][n + 1];
    for (int i = 0; i < n; i++) { a[i] = 2 * i; for (int j = 0; j <= n; j++) b[i][j] = i * 10 + j; }
    printf("%d %d %d\n", total(n, a), b[n - 1][n], (int)sizeof b);
    for (int k = 1; k < n; k++) { char c[k]; c[k - 1] = k; printf("%d", c[k - 1]); }
    printf("\n");
    return 0;
}
