// open-soft: a known weakness, not explained yet: with every statement free, an unknown value is read through a pointer
// stdin: 4 3 1 2 9 0
#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static struct node *insert(struct node *head, int value) {
    if (!head || head->value >= value) {
        struct node *n = malloc(sizeof *n);
        if (!n) exit(1);
        n->value = value;
        n->next = head;
        return n;
    }
    head->next = insert(head->next, value);
    return head;
}
int main(void) {
    struct node *head = NULL;
    int value;
    while (scanf("%d", &value) == 1 && value != 0) head = insert(head, value);
    struct node **at = &head;
    while (*at) {
        if ((*at)->value % 2) { struct node *gone = *at; *at = gone->next; free(gone); }
        else at = &(*at)->next;
    }
    int count = 0;
    for (struct node *n = head; n; n = n->next) { printf("%d ", n->value); count++; }
    while (head) { struct node *next = head->next; free(head); head = next; }
    printf("%d\n", count);
    return 0;
}
