// args: 7 -3
// args: -100 9
// args: 2147483647 2
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int a = atoi(argv[1]), b = atoi(argv[2]);
    unsigned u = a, v = b;
    long l = (long)a * b;
    unsigned long ul = u * (unsigned long)v;
    short s = (short)(a * 1000u);
    char c = (char)a;
    unsigned char uc = (unsigned char)b;
    printf("%d %d %u %u\n", a / b, a % b, u / v, u % v);
    printf("%ld %lu %d %d %d\n", l, ul, s, c, uc);
    printf("%d %u %d %d\n", a >> 2, u >> 2, (int)(u << 3), a & b);
    printf("%d %d %d\n", a ^ b, a | b, ~a);
    printf("%u %u %d\n", u + v, u * v, a > b);
    printf("%d %d\n", u > v, (long)a < (long)b);
    printf("%lld %llu\n", l * l, (unsigned long long)u << 20);
    c += 100;
    uc -= 200;
    s++;
    printf("%d %d %d %d\n", c, uc, s, (signed char)uc);
    printf("%d %d\n", (int)sizeof(long), (int)((char)200 < 0));
    return (unsigned char)a;
}
