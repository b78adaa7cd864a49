// An editor line with undo.
// run:
// stdin: +abc\n+de\nu\n+f\nu\n
// fails: memory
// class: use after free
// memory: use-after-free
// detected: asan valgrind
// fixed: strcpy(e->text, top->before); free(top); e->undone++; return;
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct change {
    char before[40];
    struct change *below;
};

struct editor {
    char text[40];
    struct change *undo;
    int undone;
};

static void append(struct editor *e, const char *more)
{
    struct change *c = malloc(sizeof *c); /* MADE */
    strcpy(c->before, e->text);
    c->below = e->undo;
    e->undo = c;
    if (strlen(e->text) + strlen(more) < sizeof e->text)
        strcat(e->text, more);
}

static void undo(struct editor *e)
{
    struct change *top = e->undo;
    if (top == NULL)
        return;
    e->undo = top->below;
    free(top); /* CAUSE FREED */
    strcpy(e->text, top->before); /* FAILS */
    e->undone++;
}

int main(void)
{
    struct editor e = {"", NULL, 0};
    char line[32];

    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '+')
            append(&e, line + 1);
        else if (line[0] == 'u')
            undo(&e);
    }
    printf("%s (%d undone)\n", e.text, e.undone);
    while (e.undo) {
        struct change *below = e.undo->below;
        free(e.undo);
        e.undo = below;
    }
    return 0;
}
