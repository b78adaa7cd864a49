// Profiles are copied and later freed one by one.
// run:
// fails: memory
// class: double or invalid free
// memory: double-free
// detected: asan valgrind
// fixed: struct profile copy = *p; copy.name = copy_text(p->name);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct profile {
    char *name;
    int volume;
};

static char *copy_text(const char *text)
{
    char *copy = malloc(strlen(text) + 1); /* MADE */
    return copy ? strcpy(copy, text) : NULL;
}

static struct profile profile_new(const char *name, int volume)
{
    struct profile p = {copy_text(name), volume};
    return p;
}

static struct profile profile_copy(const struct profile *p, int volume)
{
    struct profile copy = *p; /* CAUSE */
    copy.volume = volume;
    return copy;
}

static void profile_free(struct profile *p)
{
    free(p->name); /* FAILS FREED */
    p->name = NULL;
}

int main(void)
{
    struct profile all[3];
    all[0] = profile_new("work", 3);
    all[1] = profile_new("home", 7);
    all[2] = profile_copy(&all[1], 9);
    for (int i = 0; i < 3; i++)
        printf("%s %d\n", all[i].name, all[i].volume);
    for (int i = 0; i < 3; i++)
        profile_free(&all[i]);
    return 0;
}
