// stdin: 12 -5 x 3.5 word 0x1f\nnext 7:8
// stdin: 1 2
// stdin: a
// stdin:
#include <stdio.h>
int main(void) {
    int a = -1, b = -1, h = -1, m = -1, s = -1;
    char c = '?', word[10] = "unset...";
    double d = 0;
    int n = scanf("%d %d %c", &a, &b, &c);
    printf("%d %d %d %c\n", n, a, b, c);
    n = scanf("%lf%9s", &d, word);
    printf("%d %.2f %s %c\n", n, d, word, word[7]);
    n = scanf("%x", &h);
    n += scanf("%*s %d:%d", &m, &s);
    printf("%d %d %d %d\n", n, h, m, s);
    return 0;
}
