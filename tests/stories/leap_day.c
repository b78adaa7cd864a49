/* Date arithmetic: the day of the year, with a wrong leap year rule. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct date {
    int year, month, day;
};

static int is_leap(int year)
{
    return year % 4 == 0 && year % 100 != 0;
}

static int days_in(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (month == 2 && is_leap(year))
        return 29;
    return days[month - 1];
}

static int day_of_year(const struct date *d)
{
    int n = d->day;
    int m;
    for (m = 1; m < d->month; m++)
        n += days_in(d->year, m);
    return n;
}

static void next_day(struct date *d)
{
    d->day++;
    if (d->day > days_in(d->year, d->month)) {
        d->day = 1;
        d->month++;
        if (d->month > 12) {
            d->month = 1;
            d->year++;
        }
    }
}

int main(int argc, char **argv)
{
    struct date d = {2000, 2, 26};
    int i;
    int steps = argc > 1 ? atoi(argv[1]) : 5;
    for (i = 0; i < steps; i++)
        next_day(&d);
    printf("%d-%02d-%02d is day %d\n", d.year, d.month, d.day, day_of_year(&d));
    assert(d.month == 3 && d.day == 2);
    return 0;
}

// says: fails: d.day is 3
// says: d->day was 1 since line 36, in next_day(&d): d->day = 1
// says: d->day > days_in() (29 > 28, line 35, returned in line 20)
// shows: 20 36 53
// run:
