/* The average of some marks. */
#include <stdio.h>

int main(void)
{
    int n = 0, sum = 0, mark;
    while (scanf("%d", &mark) == 1) {
        sum += mark;
        n++;
    }
    double average = sum / n; /* CAUSE */
    printf("%.2f\n", average);
    return 0;
}
