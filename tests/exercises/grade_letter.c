/* A letter for a number of points. */
#include <stdio.h>

static char letter(int points)
{
    char grade;
    switch (points / 10) {
    case 10:
    case 9:
        grade = 'A';
        break;
    case 8:
        grade = 'B'; /* CAUSE */
    case 7:
        grade = 'C';
        break;
    default:
        grade = 'F';
    }
    return grade;
}

int main(void)
{
    int points;
    while (scanf("%d", &points) == 1)
        printf("%c\n", letter(points));
    return 0;
}
