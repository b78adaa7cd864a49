/* Counts vowels of each line. */
#include <stdio.h>
#include <string.h>

int main(void)
{
    char line[80];
    int vowels = 0;
    while (fgets(line, sizeof line, stdin)) {
        for (int i = 0; line[i]; i++) /* CAUSE */
            if (strchr("aeiou", line[i]))
                vowels++;
        printf("%d\n", vowels);
    }
    return 0;
}
