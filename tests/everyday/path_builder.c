/* Builds the path of a file below a directory, in a shared buffer. */
// run: -- /var/log app access
// fails: memory
// class: global overflow, string function
// memory: out-of-bounds 20 20
// detected: asan
// fixed: static char path[64];
#include <stdio.h>
#include <string.h>

static char path[20]; /* CAUSE MADE */
static int built;

static const char *extension_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot : ".log";
}

static const char *build(const char *dir, const char *app, const char *name)
{
    size_t n = strlen(dir);
    while (n > 1 && dir[n - 1] == '/')
        n--;
    sprintf(path, "%.*s/%s/%s%s", (int)n, dir, app, name, extension_of(name)); /* FAILS */
    built++;
    return path;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s DIR APP NAME...\n", argv[0]);
        return 2;
    }
    for (int i = 3; i < argc; i++)
        puts(build(argv[1], argv[2], argv[i]));
    printf("%d paths\n", built);
    return 0;
}
