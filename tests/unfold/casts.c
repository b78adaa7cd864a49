// args: 300 2
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
union word { uint32_t whole; uint8_t bytes[4]; struct { uint16_t low, high; } half; float real; };
int main(int argc, char **argv) {
    int a = atoi(argv[1]), b = atoi(argv[2]);
    union word w = {.whole = (uint32_t)a * 0x01010101u};
    w.bytes[3] = 9;
    printf("%x %d %d %x\n", w.whole, w.half.low, w.half.high, w.bytes[1]);
    w.real = 1.5f;
    printf("%x\n", w.whole);
    uint8_t x = a;
    int8_t y = a;
    uint16_t z = -b;
    uint64_t big = (uint64_t)(int64_t)-b;
    printf("%d %d %d %llx\n", x, y, z, (unsigned long long)big);
    double d = a / (double)b, e = a / b;
    float f = (float)d * 0.1f;
    printf("%.3f %.1f %.4f %d %d\n", d, e, f, (int)-d, (int)(f + 0.5));
    printf("%d %d\n", d > e, (unsigned)d == 150u);
    _Bool t = a;
    t += 5;
    printf("%d %d\n", t, (_Bool)0.5);
    intptr_t address = (intptr_t)&a;
    *(int *)address = 5;
    printf("%d\n", a);
    return 0;
}
