// Counts the days from the first of January.
// run:
// stdin: 2023-03-01\n1900-12-31\n2000-02-29\n2021-02-29\n
// fails: output
// class: wrong output
// fixed: return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
#include <stdbool.h>
#include <stdio.h>

struct date {
    int year, month, day;
};

static bool leap(int year)
{
    return year % 4 == 0 || (year % 100 != 0 && year % 400 == 0); /* CAUSE */
}

static int days_in(int month, int year)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && leap(year) ? 29 : days[month - 1];
}

static bool valid(struct date d)
{
    return d.month >= 1 && d.month <= 12 && d.day >= 1 && d.day <= days_in(d.month, d.year);
}

static int day_of_year(struct date d)
{
    int n = d.day;
    for (int m = 1; m < d.month; m++)
        n += days_in(m, d.year);
    return n;
}

int main(void)
{
    struct date d;
    while (scanf("%d-%d-%d", &d.year, &d.month, &d.day) == 3) {
        if (valid(d))
            printf("%04d-%02d-%02d is day %d\n", d.year, d.month, d.day, day_of_year(d)); /* FAILS */
        else
            printf("%04d-%02d-%02d is no date\n", d.year, d.month, d.day);
    }
    return 0;
}
