// A grid of temperatures on the heap, smoothed once.
// run: -- 2 5
// fails: memory
// class: heap overflow
// memory: out-of-bounds 32 32
// detected: asan valgrind
// fixed: g->cells = calloc((size_t)rows * cols, sizeof *g->cells);
#include <stdio.h>
#include <stdlib.h>

struct grid {
    int rows, cols;
    double *cells;
};

static int grid_make(struct grid *g, int rows, int cols)
{
    g->rows = rows;
    g->cols = cols;
    g->cells = calloc((size_t)rows * rows, sizeof *g->cells); /* CAUSE MADE */
    return g->cells != NULL;
}

static double *cell(struct grid *g, int r, int c)
{
    return &g->cells[r * g->cols + c];
}

static void heat(struct grid *g)
{
    for (int r = 0; r < g->rows; r++)
        for (int c = 0; c < g->cols; c++)
            *cell(g, r, c) = 20.0 + 0.5 * r - 0.25 * c; /* FAILS */
}

static double mean(struct grid *g)
{
    double sum = 0;
    for (int r = 0; r < g->rows; r++)
        for (int c = 0; c < g->cols; c++)
            sum += *cell(g, r, c);
    return sum / (g->rows * g->cols);
}

int main(int argc, char **argv)
{
    struct grid g;
    int rows = argc > 1 ? atoi(argv[1]) : 3;
    int cols = argc > 2 ? atoi(argv[2]) : 3;

    if (rows < 1 || cols < 1 || !grid_make(&g, rows, cols))
        return 1;
    heat(&g);
    printf("mean %.2f\n", mean(&g));
    free(g.cells);
    return 0;
}
