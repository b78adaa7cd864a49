#include <assert.h>
int main(void) { unsigned i = 0; int even = 1; while (i < 100) { i++; even = !even; } assert(i == 100); return 0; }
