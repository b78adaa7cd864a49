// A line-based command interpreter with a table of functions.
// run:
// stdin: push 4\npush 5\nswap\nadd\n
// fails: signal|memory
// class: null pointer
// memory: null
// detected: asan valgrind
// fixed: {"swap", do_swap},
#include <stdio.h>
#include <string.h>

static int stack[16];
static int depth;

static void do_add(int unused) {
    (void)unused;
    if (depth >= 2) {
        stack[depth - 2] += stack[depth - 1];
        depth--;
    }
}

static void do_push(int value) {
    if (depth < 16)
        stack[depth++] = value;
}

static void do_swap(int unused) {
    (void)unused;
    if (depth >= 2) {
        int t = stack[depth - 1];
        stack[depth - 1] = stack[depth - 2];
        stack[depth - 2] = t;
    }
}

static void do_print(int unused) {
    (void)unused;
    if (depth > 0)
        printf("%d\n", stack[depth - 1]);
}

struct command {
    const char *name;
    void (*run)(int);
};

static const struct command commands[] = {
    {"add", do_add},
    {"push", do_push},
    {"swap", NULL}, /* CAUSE */
    {"print", do_print},
};

static const struct command *find(const char *name) {
    for (unsigned i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

int main(void) {
    char line[64], name[16];
    int value;
    do_swap(0);
    while (fgets(line, sizeof line, stdin)) {
        value = 0;
        if (sscanf(line, "%15s %d", name, &value) < 1)
            continue;
        const struct command *c = find(name);
        if (c == NULL) {
            fprintf(stderr, "unknown command %s\n", name);
            return 1;
        }
        c->run(value); /* FAILS */
    }
    do_print(0);
    return 0;
}
