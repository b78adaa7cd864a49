// args: 0
// args: 3
// A byte of a pointer is not a pointer.
#include <stdio.h>
#include <stdlib.h>
char *shared;
int main(int argc, char **argv) {
    char *p = 0;
    int n = atoi(argv[1]);
    *(char *)&p = n;
    *(char *)&shared = n + 1;
    printf("%d %d\n", p == 0, shared == 0);
    return 0;
}
