// args: 12 x
// args: -305 y
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    char text[20], *end;
    strcpy(text, "  ");
    strcat(text, argv[1]);
    strcat(text, "0z");
    printf("%d %ld\n", atoi(text), strtol(text, &end, 10));
    printf("%s %d\n", end, (int)(end - text));
    sprintf(text, "%d-%s:%c", atoi(argv[1]) * 3, argv[2], 'q');
    printf("%s %d\n", text, (int)strlen(text));
    int n = snprintf(text, 6, "%05d%x", 1234, 255);
    printf("%s %d %d\n", text, n, abs(-atoi(text + 1)));
    printf("%ld %d\n", strtol("077", NULL, 8), atoi("none"));
    return 0;
}
