// args: 42 -7
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    int a = atoi(argv[1]), b = atoi(argv[2]);
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%8.3d]\n", a, a, a, a, a, a, a, b);
    printf("[%u] [%x] [%X] [%o] [%#x] [%#o] [%08x]\n", a, a, b, a, a, a, a);
    printf("[%ld] [%lld] [%lu] [%hd] [%hhd] [%zu]\n", (long)b, (long long)a, (unsigned long)a, (short)70000, (char)300, sizeof a);
    printf("[%c] [%3c] [%-3c] [%%]\n", a + 50, 'x', 'y');
    printf("[%s] [%8s] [%-8s] [%.2s] [%6.1s]\n", "word", "right", "left", "cut", "both");
    printf("[%f] [%.2f] [%8.3f] [%-9.1f] [%e] [%g] [%g] [%g] [%.3e] [%G]\n", 3.25, a / 7.0, b / 2.0, 1.0, 12345.678, 0.0001, 1e10, 100000.0, 1.0 / a, 1e-10);
    printf("[%*d] [%-*d] [%.*f]\n", 6, a, 6, b, 2, a / 8.0);
    printf("%s %s", argv[1], "");
    printf("\n");
    puts("puts");
    puts(argv[2]);
    putchar('A' + 1);
    putchar('\n');
    fputs("fputs\n", stdout);
    fprintf(stdout, "%i %i\n", a, b);
    fprintf(stderr, "not here\n");
    fputc('!', stdout);
    putc('\n', stdout);
    FILE *out = stdout;
    fprintf(out, "through a variable\n");
    fflush(stdout);
    fwrite("bytes\n", 1, 6, stdout);
    return 0;
}
