// args: hello lo
// args: abc abd
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv) {
    char buffer[64], other[16] = "xyz";
    strcpy(buffer, argv[1]);
    strcat(buffer, "-");
    strcat(buffer, argv[2]);
    printf("%s %d\n", buffer, (int)strlen(buffer));
    printf("%d %d\n", strcmp(argv[1], argv[2]) < 0, strcmp("same", "same"));
    printf("%d\n", strncmp(argv[1], argv[2], 2) == 0);
    char *p = strchr(buffer, '-'), *q = strrchr(buffer, 'l');
    printf("%d %d\n", p ? (int)(p - buffer) : -1, q ? (int)(q - buffer) : -1);
    strncpy(other, buffer, 4);
    other[4] = 0;
    puts(other);
    strncat(other, "12345", 3);
    puts(other);
    memset(buffer, 'z', 3);
    memcpy(buffer + 3, other, strlen(other) + 1);
    memmove(buffer + 1, buffer, 4);
    puts(buffer);
    printf("%d %d\n", memcmp(buffer, "zzz", 3), strstr(buffer, "zz") != NULL);
    return 0;
}
