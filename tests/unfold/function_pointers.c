// args: 0 8
// args: 1 8
// args: 2 8
#include <stdio.h>
#include <stdlib.h>
typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static operation all[] = {add, sub, mul};
static int apply(operation f, int a, int b) { return f(a, b); }
struct visitor { void (*visit)(struct visitor *, int); int sum; };
static void collect(struct visitor *v, int n) { v->sum += n; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]), x = atoi(argv[2]);
    struct visitor v = {collect, 0};
    for (int i = 0; i < 3; i++) v.visit(&v, apply(all[i], x, i + 1));
    operation chosen = all[n];
    if (n == 1) chosen = mul;
    printf("%d %d %d\n", chosen(x, 3), v.sum, chosen == mul);
    return 0;
}
