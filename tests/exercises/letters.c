/* Counts letters, digits and the rest. */
#include <ctype.h>
#include <stdio.h>

int main(void)
{
    int letters, digits = 0, others = 0, c; /* CAUSE */
    while ((c = getchar()) != EOF) {
        if (isalpha(c))
            letters++;
        else if (isdigit(c))
            digits++;
        else
            others++;
    }
    printf("%d %d %d\n", letters, digits, others);
    return 0;
}
