// The best three scores of a game, and how many were seen.
// run:
// stdin: 120 340 90 560 200\n
// fails: memory
// class: inside a struct, off by one
// memory: out-of-bounds 12 12
// fixed: for (int j = KEPT - 1; j > at; j--)
#include <stdio.h>

#define KEPT 3

struct board {
    int best[KEPT];
    int seen;
    int sum;
};

static void board_add(struct board *b, int score)
{
    int at = 0;
    b->seen++;
    b->sum += score;
    while (at < KEPT && b->best[at] >= score)
        at++;
    if (at == KEPT)
        return;
    for (int j = KEPT; j > at; j--) /* CAUSE */
        b->best[j] = b->best[j - 1]; /* FAILS */
    b->best[at] = score;
}

static int mean(const struct board *b)
{
    return b->seen ? b->sum / b->seen : 0;
}

int main(void)
{
    struct board board = {{0}, 0, 0}; /* MADE */
    int score;

    while (scanf("%d", &score) == 1)
        board_add(&board, score);
    for (int i = 0; i < KEPT; i++)
        printf("%d. %d\n", i + 1, board.best[i]);
    printf("%d games, mean %d\n", board.seen, mean(&board));
    return 0;
}
