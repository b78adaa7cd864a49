/* Greets by name. */
#include <stdio.h>

int main(void)
{
    char name[32];
    if (scanf("%31s", name) != 1)
        return 1;
    printf("Hello %s!", name); /* CAUSE */
    return 0;
}
