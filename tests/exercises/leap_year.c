/* Is a year a leap year? */
#include <stdio.h>

static int is_leap(int year)
{
    return year % 4 == 0 && year % 100 != 0 && year % 400 == 0; /* CAUSE */
}

int main(void)
{
    int year;
    while (scanf("%d", &year) == 1)
        printf("%d %s\n", year, is_leap(year) ? "yes" : "no");
    return 0;
}
