// Prints the names of files without their directories and endings.
// run: -- lib/main.test.c
// fails: output
// class: wrong output
// fixed: const char *dot = strrchr(name, '.');
#include <stdio.h>
#include <string.h>

static int stem(const char *name)
{
    const char *dot = strchr(name, '.'); /* CAUSE */

    if (dot == NULL || dot == name)
        return (int)strlen(name);
    return (int)(dot - name);
}

static const char *base(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *name = base(argv[i]);
        int length = stem(name);

        printf("%.*s\n", length, name); /* FAILS */
    }
    return 0;
}
