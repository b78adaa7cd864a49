// Makes login names from full names.
// run:
// stdin: Ada Lovelace\nBjarne Stroustrup\nKen Li\n
// fails: memory
// class: stack overflow, string function
// memory: out-of-bounds 8 8
// detected: asan
// fixed: snprintf(login, sizeof login, "%c%s", lower(first[0]), last);
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static int lower(int c)
{
    return tolower((unsigned char)c);
}

static void lower_all(char *s)
{
    for (; *s; s++)
        *s = (char)lower(*s);
}

static int make_login(const char *first, char *last, int number)
{
    char login[8]; /* MADE */
    lower_all(last);
    login[0] = (char)lower(first[0]);
    strcpy(login + 1, last); /* CAUSE FAILS */
    printf("%2d %s\n", number, login);
    return (int)strlen(login);
}

int main(void)
{
    char first[32], last[32];
    int n = 0, longest = 0;
    while (scanf("%31s %31s", first, last) == 2) {
        int length = make_login(first, last, ++n);
        if (length > longest)
            longest = length;
    }
    printf("longest: %d\n", longest);
    return 0;
}
