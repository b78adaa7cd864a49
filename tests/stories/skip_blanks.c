/* Counts words; a blank is met again and again, since `continue` skips the step to the next character. */
#include <stdio.h>
#include <string.h>

static int count(const char *line)
{
    int i = 0, words = 0, inside = 0;
    int n = (int)strlen(line);
    while (i < n) {
        if (line[i] == ' ') {
            inside = 0;
            continue;
        }
        if (!inside)
            words++;
        inside = 1;
        i++;
    }
    return words;
}

int main(void)
{
    printf("%d\n", count("a b"));
    return 0;
}

// says: The loop ends when n <= i; i is 1 and n is 3 in every round.
// says: Each round runs lines 10, 11 and 12.
// says: Its rounds never assign i or n; line 17 would set i.
// shows: 10 11 12
// run: --timeout 30
