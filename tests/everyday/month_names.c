// Prints dates with the names of months.
// run: -- 2024-01-31 2024-12-24
// fails: memory
// class: global overflow, off by one
// memory: out-of-bounds 48 48
// detected: asan
// fixed: return names[month - 1];
#include <stdio.h>
#include <string.h>

static const char names[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", /* MADE */
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

struct date {
    int year, month, day;
};

static const char *month_name(int month)
{
    if (month < 1 || month > 12)
        return "???";
    return names[month]; /* CAUSE */
}

static int parse(const char *text, struct date *d)
{
    return sscanf(text, "%d-%d-%d", &d->year, &d->month, &d->day) == 3;
}

static void format(const struct date *d, char *out)
{
    const char *name = month_name(d->month);
    for (int i = 0; i < 3; i++)
        *out++ = name[i]; /* FAILS */
    sprintf(out, " %d, %d", d->day, d->year);
}

int main(int argc, char **argv)
{
    struct date d;
    char text[32];
    for (int i = 1; i < argc; i++) {
        if (!parse(argv[i], &d)) {
            printf("%s: not a date\n", argv[i]);
            continue;
        }
        format(&d, text);
        printf("%s\n", text);
    }
    return 0;
}
