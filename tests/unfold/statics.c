#include <stdio.h>
static int table[4] = {1, [2] = 7};
int counter = 3, zero, *where = &counter, *element = &table[2];
const char *words[] = {"one", "two", "three"};
struct { const char *key; int value; } pairs[] = {{"a", 1}, {"b", 2}};
static int next(void) { static int n = 5; static int started; if (!started) { started = 1; n = 100; } return n++; }
int main(void) {
    int a = next(), b = next();
    *where += 4;
    *element = table[0] + table[3];
    printf("%d %d %d %d %d %d\n", a, b, next(), counter, zero, table[2]);
    for (int i = 0; i < 3; i++) printf("%s%c", words[i], i < 2 ? ',' : '\n');
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) printf("%s=%d\n", pairs[i].key, pairs[i].value);
    return 0;
}
