// open-soft: a copy of a length set free is made of bytes; the evaluator does not see through words known in part
// args: 4
// args: 7
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int *a = malloc(n * sizeof *a), *z = calloc(n, sizeof(int));
    for (int i = 0; i < n; i++) a[i] = i * i;
    z[n - 1] = 5;
    a = realloc(a, 2 * n * sizeof *a);
    for (int i = n; i < 2 * n; i++) a[i] = -i;
    int sum = 0;
    for (int i = 0; i < 2 * n; i++) sum = sum * 2 + a[i];
    for (int i = 0; i < n; i++) sum += z[i];
    char *copy = strdup("duplicate");
    copy[0] = 'D';
    printf("%d %s\n", sum, copy);
    int *none = NULL;
    none = realloc(none, 8);
    none[1] = 3;
    printf("%d\n", none[1]);
    free(a); free(z); free(copy); free(none); free(NULL);
    return 0;
}
