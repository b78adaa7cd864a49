// args: 1
// args: 2
// args: 3
#include <stdio.h>
#include <stdlib.h>
static void check(int n) {
    if (n == 2) { printf("leaving\n"); exit(7); }
    printf("staying\n");
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    for (int i = 0; i <= n; i++) check(i == n ? n : 0);
    if (n == 3) return -1;
    printf("end\n");
    return EXIT_SUCCESS;
}
