// Prints each student's average mark.
// run:
// stdin: ann 3 80 90 70\nbob 0\ncid 2 60 65\n
// fails: signal
// class: division by zero
// fixed: return n ? sum / n : 0;
#include <stdio.h>

#define MAX_MARKS 10

static int read_marks(int *marks, int n)
{
    int i;
    for (i = 0; i < n && i < MAX_MARKS; i++)
        if (scanf("%d", &marks[i]) != 1)
            break;
    return i;
}

static int average(const int *marks, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += marks[i];
    return sum / n; /* CAUSE FAILS */
}

static char letter(int mark)
{
    if (mark >= 90)
        return 'A';
    if (mark >= 75)
        return 'B';
    return mark >= 60 ? 'C' : 'F';
}

int main(void)
{
    char name[20];
    int count, marks[MAX_MARKS] = {0};
    while (scanf("%19s %d", name, &count) == 2) {
        int n = read_marks(marks, count);
        int mean = average(marks, n);
        printf("%-8s %3d %c\n", name, mean, letter(mean));
    }
    return 0;
}
