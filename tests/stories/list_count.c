/* A sorted linked list; removal forgets to fix the count when the head goes. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

struct list {
    struct node *head;
    int count;
};

static void list_init(struct list *l)
{
    l->head = NULL;
    l->count = 0;
}

static void list_insert(struct list *l, int value)
{
    struct node *n = malloc(sizeof *n);
    struct node **p = &l->head;
    if (n == NULL)
        exit(2);
    n->value = value;
    while (*p != NULL && (*p)->value < value)
        p = &(*p)->next;
    n->next = *p;
    *p = n;
    l->count++;
}

static int list_remove(struct list *l, int value)
{
    struct node *cur = l->head;
    struct node *prev = NULL;
    while (cur != NULL && cur->value != value) {
        prev = cur;
        cur = cur->next;
    }
    if (cur == NULL)
        return 0;
    if (prev == NULL) {
        l->head = cur->next;
        free(cur);
        return 1;
    }
    prev->next = cur->next;
    free(cur);
    l->count--;
    return 1;
}

static int list_length(const struct list *l)
{
    int n = 0;
    const struct node *p;
    for (p = l->head; p != NULL; p = p->next)
        n++;
    return n;
}

int main(void)
{
    struct list l;
    int values[] = {5, 3, 9, 1, 7};
    size_t i;
    list_init(&l);
    for (i = 0; i < sizeof values / sizeof values[0]; i++)
        list_insert(&l, values[i]);
    list_remove(&l, 9);
    list_remove(&l, 1);
    printf("length %d\n", list_length(&l));
    assert(l.count == list_length(&l));
    return 0;
}

// says: fails: l.count is 4 and list_length() is 3
// says: l.count is 4 since line 53, in list_remove(&l, 9)
// says: In list_remove(&l, 1) it stays so because prev == NULL (line 46); the other branch sets it (line 53)
// shows: 46 53 62
// run:
