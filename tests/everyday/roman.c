// Roman numerals, both ways.
// run: -- 1994 49 8
// fails: output
// class: wrong output
// fixed: {1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    int value;
    const char *text;
} numerals[] = {
    {1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {50, "L"}, {90, "XC"}, /* CAUSE */
    {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"},
};

#define COUNT (int)(sizeof numerals / sizeof numerals[0])

static void to_roman(int n, char *out) {
    out[0] = '\0';
    for (int i = 0; i < COUNT; i++) {
        while (n >= numerals[i].value) {
            strcat(out, numerals[i].text);
            n -= numerals[i].value;
        }
    }
}

static int digit(char c) {
    for (int i = 0; i < COUNT; i++)
        if (numerals[i].text[0] == c && numerals[i].text[1] == '\0')
            return numerals[i].value;
    return 0;
}

static int from_roman(const char *s) {
    int n = 0;
    for (; *s; s++)
        n += digit(s[0]) < digit(s[1]) ? -digit(s[0]) : digit(s[0]);
    return n;
}

int main(int argc, char *argv[]) {
    char text[32];
    for (int i = 1; i < argc; i++) {
        int n = atoi(argv[i]);
        to_roman(n, text);
        printf("%d = %s = %d\n", n, text, from_roman(text)); /* FAILS */
    }
    return 0;
}
