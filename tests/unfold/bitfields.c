// args: 13
#include <stdio.h>
#include <stdlib.h>
struct flags { unsigned a : 3; int b : 4; unsigned c : 9; unsigned long d : 40; };
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    struct flags f = {0}, g;
    f.a = n;
    f.b = n;
    f.c += n * 50;
    f.d = 1ul << 39 | n;
    g = f;
    g.a++;
    g.b--;
    f.c ^= 0x1ff;
    printf("%d %d %d %lu\n", f.a, f.b, f.c, (unsigned long)f.d);
    printf("%d %d %d %d\n", g.a, g.b, g.c, (int)sizeof g);
    return g.a;
}
