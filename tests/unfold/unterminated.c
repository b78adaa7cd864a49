// fails: end
#include <stdio.h>
#include <string.h>
int main(void) {
    char text[3];
    memcpy(text, "abc", 3);
    printf("%d\n", (int)strlen(text) > 2);
    return 0;
}
