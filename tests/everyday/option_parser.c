// Options of a small command: -n NUMBER, -v, --name=TEXT, then files.
// run: --expect-status 0 -- -v -n 3 --name=test -- -odd-file
// fails: status
// class: exit status
// fixed: { i++; break; }
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    int verbose;
    int number;
    const char *name;
    int first_file;
};

static int parse(struct options *o, int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (arg[0] != '-' || arg[1] == '\0')
            break;
        if (strcmp(arg, "--") == 0)
            continue; /* CAUSE */
        if (strncmp(arg, "--name=", 7) == 0) {
            o->name = arg + 7;
        } else if (arg[1] == 'v') {
            o->verbose++;
        } else if (arg[1] == 'n' && i + 1 < argc) {
            o->number = atoi(argv[++i]);
        } else {
            fprintf(stderr, "unknown option %s\n", arg);
            return -1;
        }
    }
    o->first_file = i;
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {0, 10, "none", 0};
    if (parse(&o, argc, argv) != 0)
        return 2; /* FAILS */
    if (o.verbose)
        printf("name %s, number %d\n", o.name, o.number);
    for (int i = o.first_file; i < argc; i++)
        printf("file %s\n", argv[i]);
    return 0;
}
