// stdin: first line\nsecond one\nab
// stdin: x
// stdin:
#include <stdio.h>
#include <string.h>
struct record { int before; char text[8]; int after; };
int main(void) {
    char line[256];
    struct record r = {1, "", 2};
    int c, lines = 0, letters = 0;
    if (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        printf("<%s> %d\n", line, (int)strlen(line));
    }
    if (scanf("%s", r.text) == 1) printf("%d %s %d\n", r.before, r.text, r.after);
    while ((c = getchar()) != EOF) {
        if (c == '\n') lines++;
        else letters += c;
    }
    printf("%d %d\n", lines, letters);
    return 0;
}
