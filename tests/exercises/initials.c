/* The initials of a name, one word a line. */
#include <ctype.h>
#include <stdio.h>

int main(void)
{
    char word[32];
    while (scanf("%31s", word) == 1)
        putchar(tolower(word[0])); /* CAUSE */
    putchar('\n');
    return 0;
}
