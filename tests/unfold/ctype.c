// args: aZ5,
// args: Hello9\t
#include <ctype.h>
#include <stdio.h>
int main(int argc, char **argv) {
    for (char *p = argv[1]; *p; p++) {
        printf("%d%d%d%d%d%d%d", !!isdigit(*p), !!isalpha(*p), !!isupper(*p), !!islower(*p), !!isspace(*p), !!isalnum(*p), !!ispunct(*p));
        printf("%d%d%d", !!isxdigit(*p), !!isprint(*p), !!iscntrl(*p));
        putchar(toupper(*p));
        putchar(tolower((unsigned char)*p));
        putchar('\n');
    }
    return 0;
}
