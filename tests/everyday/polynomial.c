/* Multiplies polynomials; coefficients on the heap. */
// run:
// fails: memory
// class: uninitialised
// memory: uninitialised
// detected: valgrind
// fixed: r.c = calloc(r.degree + 1, sizeof *r.c);
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int degree;
    int *c;
} poly;

static poly poly_of(int degree, const int *c)
{
    poly p;
    p.degree = degree;
    p.c = malloc((degree + 1) * sizeof *p.c);
    for (int i = 0; i <= degree; i++)
        p.c[i] = c[i];
    return p;
}

static poly multiply(poly a, poly b)
{
    poly r;
    r.degree = a.degree + b.degree;
    r.c = malloc((r.degree + 1) * sizeof *r.c); /* CAUSE MADE */
    for (int i = 0; i <= a.degree; i++)
        for (int j = 0; j <= b.degree; j++)
            r.c[i + j] += a.c[i] * b.c[j];
    return r;
}

static void print(poly p)
{
    for (int i = p.degree; i >= 0; i--)
        printf("%d%c", p.c[i], i ? ' ' : '\n'); /* FAILS */
}

int main(void)
{
    poly a = poly_of(2, (int[]){1, 2, 1});
    poly b = poly_of(1, (int[]){3, 5});
    poly product = multiply(a, b);
    print(a);
    print(b);
    print(product);
    free(a.c);
    free(b.c);
    free(product.c);
    return 0;
}
