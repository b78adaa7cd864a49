#include <assert.h>
int main(void) { int a[4]; for (int i = 0; i < 4; i++) a[i] = i; assert(a[0] == 0); assert(a[3] == 3); return 0; }
