// args: 1 c
// args: 2 x
// args: 9 a
#include <stdio.h>
#include <stdlib.h>
enum color { RED, GREEN = 5, BLUE };
static const char *name(enum color c) {
    switch (c) { case RED: return "red"; case GREEN: return "green"; case BLUE: return "blue"; }
    return "none";
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]), r = 0;
    switch (n) {
    case 1: r = 10;
    case 2: r += 5; break;
    case 3: r = 7; break;
    default: r = -1;
    }
    switch (argv[2][0]) { case 'a': case 'b': case 'c': r *= 2; break; case 'x': goto out; default: r = 0; }
    for (int i = 0; i < 10; i++) {
        for (int j = 0; j < 10; j++)
            if (i * j == 6) { r += i; goto out; }
    }
out:
    printf("%d %s %s\n", r, name(n + 4), name(n - 1));
    return 0;
}
