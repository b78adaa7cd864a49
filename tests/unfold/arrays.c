// args: 2 3
#include <stdio.h>
#include <stdlib.h>
static int grid[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
static void sort(int *a, int n) {
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) {
            int t = a[j]; a[j] = a[j - 1]; a[j - 1] = t;
        }
}
int main(int argc, char **argv) {
    int r = atoi(argv[1]), c = atoi(argv[2]);
    int a[6] = {5, 3, 9, 1, 7};
    a[5] = grid[r][c];
    grid[c - 2][r] += 100;
    sort(a, 6);
    for (int i = 0; i < 6; i++) printf("%d ", a[i]);
    int sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) sum += grid[i][j] * (i + 1);
    short small[3] = {-1, 2, -3};
    char bytes[4];
    for (int i = 0; i < 4; i++) bytes[i] = (char)(i * 70);
    printf("%d %d %d %d\n", sum, small[0] + small[2], bytes[2], bytes[3]);
    return 0;
}
