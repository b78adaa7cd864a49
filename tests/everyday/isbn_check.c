// Checks the check digit of an ISBN-13; exit status 0 when it is right.
// run: --expect-status 0 -- 978-0-13-110362-7
// fails: status
// class: exit status
// fixed: sum += (digits % 2 == 0 ? 1 : 3) * (*p - '0');
#include <ctype.h>
#include <stdio.h>

static int check_digit(int sum)
{
    return (10 - sum % 10) % 10;
}

static int isbn_ok(const char *p)
{
    int digits = 0, sum = 0, last = -1;

    for (; *p; p++) {
        if (*p == '-' || *p == ' ')
            continue;
        if (!isdigit((unsigned char)*p))
            return 0;
        if (digits < 12)
            sum += (digits % 2 == 0 ? 3 : 1) * (*p - '0'); /* CAUSE */
        else
            last = *p - '0';
        digits++;
    }
    if (digits != 13)
        return 0;
    return last == check_digit(sum);
}

int main(int argc, char **argv)
{
    int bad = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: %s ISBN...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        int ok = isbn_ok(argv[i]);
        printf("%s: %s\n", argv[i], ok ? "ok" : "wrong");
        if (!ok)
            bad++;
    }
    return bad > 0; /* FAILS */
}
