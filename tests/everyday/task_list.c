// A list of tasks; the finished ones are removed.
// run:
// fails: memory
// class: use after free
// memory: use-after-free
// detected: asan valgrind
// fixed: t = *link;
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
    char title[24];
    int done;
    struct task *next;
};

static struct task *add(struct task *list, const char *title, int done)
{
    struct task *t = malloc(sizeof *t); /* MADE */
    strncpy(t->title, title, sizeof t->title - 1);
    t->title[sizeof t->title - 1] = '\0';
    t->done = done;
    t->next = list;
    return t;
}

static struct task *remove_done(struct task *list)
{
    struct task **link = &list;
    struct task *t = list;
    while (t != NULL) {
        if (t->done) {
            *link = t->next;
            free(t); /* FREED */
        } else {
            link = &t->next;
        }
        t = t->next; /* CAUSE FAILS */
    }
    return list;
}

static int length(const struct task *t)
{
    int n = 0;
    for (; t; t = t->next)
        n++;
    return n;
}

int main(void)
{
    struct task *list = NULL;
    list = add(list, "write", 0);
    list = add(list, "test", 1);
    list = add(list, "ship", 0);
    list = remove_done(list);
    printf("%d left\n", length(list));
    while (list) {
        struct task *next = list->next;
        puts(list->title);
        free(list);
        list = next;
    }
    return 0;
}
