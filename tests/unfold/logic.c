// args: 0 5
// args: 3 0
#include <stdio.h>
#include <stdlib.h>
static int calls;
static int yes(int x) { calls++; return x; }
int main(int argc, char **argv) {
    int a = atoi(argv[1]), b = atoi(argv[2]);
    int r = yes(a) && yes(b);
    int s = yes(a) || yes(b);
    int t = a ? b ? 1 : 2 : b > 3 && a < 1 || b == 0 ? 3 : 4;
    int u = !a + !!b - ~a;
    int v = (a, b);
    int w = a == 0 ? yes(7) : (calls += 10, 8);
    printf("%d %d %d %d %d %d %d\n", r, s, t, u, v, w, calls);
    return (a > b) << 2 | (a != b) << 1 | (a <= b);
}
