#include <assert.h>
int main(void) { int x = 0; while (x < 1000) { x++; } assert(x == 1000); return 0; }
