// args: 50
#include <stdio.h>
#include <stdlib.h>
static unsigned char composite[200];
int main(int argc, char **argv) {
    int n = atoi(argv[1]), count = 0;
    for (int i = 2; i < n; i++) {
        if (composite[i]) continue;
        count++;
        for (int j = i * i; j < n; j += i) composite[j] = 1;
    }
    printf("%d\n", count);
    return 0;
}
