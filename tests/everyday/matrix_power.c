// Fibonacci numbers by powers of a matrix, and a rotation of a vector.
// run:
// fails: output
// class: wrong output
// fixed: sum += a->m[i][k] * b->m[k][j];
#include <stdio.h>

#define N 2

typedef struct {
    double m[N][N];
} mat;

static mat identity(void)
{
    mat r = {{{0}}};
    for (int i = 0; i < N; i++)
        r.m[i][i] = 1;
    return r;
}

static mat multiply(const mat *a, const mat *b)
{
    mat r;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a->m[i][k] * b->m[j][k]; /* CAUSE */
            r.m[i][j] = sum;
        }
    return r;
}

static mat power(mat base, unsigned n)
{
    mat r = identity();
    while (n > 0) {
        if (n & 1)
            r = multiply(&r, &base);
        base = multiply(&base, &base);
        n >>= 1;
    }
    return r;
}

int main(void)
{
    mat step = {{{1, 0.5}, {0.25, 1}}};
    mat p = power(step, 2);
    for (int i = 0; i < N; i++)
        printf("%.4f %.4f\n", p.m[i][0], p.m[i][1]); /* FAILS */
    return 0;
}
