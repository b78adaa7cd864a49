// args: 3
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int i = 0, n = atoi(argv[1]), r = 0;
again:
    if (i >= n) goto done;
    r += i;
    if (r > 100) goto fail;
    i++;
    goto again;
fail:
    return 1;
done:
    printf("%d\n", r);
    return 0;
}
