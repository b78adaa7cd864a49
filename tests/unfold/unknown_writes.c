// open: qsort is not followed
// note: qsort()
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void) {
    int a[3] = {3, 1, 2};
    qsort(a, 3, sizeof a[0], compare);
    printf("%d\n", a[0]);
    return 0;
}
