/* Conway's game of life on a torus. */
// run: -- 2
// stdin: .....\n..#..\n..#..\n..#..\n.....\n
// fails: output
// class: wrong output
// fixed: next[r][c] = n == 3 || (n == 2 && cells[r][c]);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 5 };

static char cells[SIZE][SIZE];

static int neighbours(int r, int c)
{
    int n = 0;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++)
            if ((dr || dc) && cells[(r + dr + SIZE) % SIZE][(c + dc + SIZE) % SIZE])
                n++;
    return n;
}

static void generation(void)
{
    char next[SIZE][SIZE];
    for (int r = 0; r < SIZE; r++)
        for (int c = 0; c < SIZE; c++) {
            int n = neighbours(r, c);
            next[r][c] = n == 3 || (n == 2 && !cells[r][c]); /* CAUSE */
        }
    memcpy(cells, next, sizeof cells);
}

static void show(void)
{
    for (int r = 0; r < SIZE; r++) {
        for (int c = 0; c < SIZE; c++)
            putchar(cells[r][c] ? '#' : '.'); /* FAILS */
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    char line[32];
    int rounds = argc > 1 ? atoi(argv[1]) : 1;

    for (int r = 0; r < SIZE && fgets(line, sizeof line, stdin); r++)
        for (int c = 0; c < SIZE && line[c] && line[c] != '\n'; c++)
            cells[r][c] = line[c] == '#';
    while (--rounds > 0)
        generation();
    show();
    return 0;
}
