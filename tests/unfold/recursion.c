// args: 6
#include <stdio.h>
#include <stdlib.h>
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int odd(int n);
static int even(int n) { if (n == 0) return 1; return odd(n - 1); }
static int odd(int n) { if (n == 0) return 0; return even(n - 1); }
static void hanoi(int n, int a, int b, int c, int *moves) {
    if (n == 0) return;
    hanoi(n - 1, a, c, b, moves);
    ++*moves;
    hanoi(n - 1, c, b, a, moves);
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]), moves = 0;
    hanoi(3, 1, 2, 3, &moves);
    printf("%d %d %d %d\n", fib(n), even(n), odd(n), moves);
    return 0;
}
