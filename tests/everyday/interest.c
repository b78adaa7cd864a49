/* Compound interest with amounts in cents and rates in hundredths of a percent. */
// run: -- 6000000 425 3
// fails: output
// class: wrong output, integer overflow
// fixed: return (int)((long long)balance * rate / 10000);
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int year;
    int interest;
    int balance;
} row_t;

static int interest_of(int balance, int rate)
{
    return balance * rate / 10000; /* CAUSE */
}

static void fill(row_t *rows, int years, int balance, int rate)
{
    for (int y = 0; y < years; y++) {
        int earned = interest_of(balance, rate);
        balance += earned;
        rows[y].year = y + 1;
        rows[y].interest = earned;
        rows[y].balance = balance;
    }
}

static void print_cents(int cents)
{
    printf(" %d.%02d", cents / 100, abs(cents) % 100); /* FAILS */
}

int main(int argc, char **argv)
{
    row_t rows[30];
    if (argc != 4)
        return 2;
    int balance = atoi(argv[1]), rate = atoi(argv[2]), years = atoi(argv[3]);
    if (years < 1 || years > 30)
        return 2;
    fill(rows, years, balance, rate);
    for (int y = 0; y < years; y++) {
        printf("%2d", rows[y].year);
        print_cents(rows[y].interest);
        print_cents(rows[y].balance);
        printf("\n");
    }
    return 0;
}
