// args: 5
// args: 9
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]), sum = 0;
    for (int i = 0; i < n; i++) {
        if (i == 2) continue;
        if (i == 7) break;
        for (int j = i; j > 0; j -= 2)
            sum += i * j;
    }
    int k = n;
    do { sum -= k; k /= 2; } while (k > 0);
    while (sum % 7 != 3) sum++;
    printf("%d %d\n", sum, k);
    return sum & 15;
}
