// open-soft: a known weakness, not explained yet: with every statement free, an unknown value is read through a pointer
// args: 1
// args: 3
#include <stdio.h>
#include <stdlib.h>
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static int *pick(int *a, int *b, int c) { return c > 2 ? a : b; }
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int a[5] = {10, 20, 30, 40, 50}, x = 1, y = 2;
    swap(&x, &y);
    int *p = a + n, **pp = &p;
    *p = 7;
    (*pp)++;
    **pp = 8;
    *pick(&x, &y, n) = 99;
    int *end = a + 5;
    long d = end - p;
    int sum = 0;
    for (int *q = a; q != end; q++) sum += *q;
    for (int *q = end; q-- > a;) sum = sum * 3 + *q;
    printf("%d %d %d %ld %d\n", x, y, sum, d, p > a);
    char *bytes = (char *)&a[0];
    bytes[1] = 1;
    printf("%d %d\n", a[0], p[-1]);
    void *v = &y;
    printf("%d %d\n", *(int *)v, v == &y && v != 0);
    return 0;
}
