// open-soft: a known weakness, not explained yet: with every statement free, an unknown value is read through a pointer
// stdin: 5 2 8 1 9 3
#include <stdio.h>
#include <stdlib.h>
struct tree { int key; struct tree *left, *right; };
static struct tree *add(struct tree *t, int key) {
    if (!t) { t = calloc(1, sizeof *t); t->key = key; }
    else if (key < t->key) t->left = add(t->left, key);
    else t->right = add(t->right, key);
    return t;
}
static int depth(struct tree *t) { if (!t) return 0; int l = depth(t->left), r = depth(t->right); return 1 + (l > r ? l : r); }
static void show(struct tree *t) { if (t) { show(t->left); printf("%d ", t->key); show(t->right); } }
int main(void) {
    struct tree *t = NULL;
    int key;
    while (scanf("%d", &key) == 1) t = add(t, key);
    show(t);
    printf("%d\n", depth(t));
    return 0;
}
