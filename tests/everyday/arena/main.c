/* Nodes of an expression tree from an arena, in several files. */
// run: -- 1+2*3-4
// fails: memory
// class: heap overflow
// memory: out-of-bounds 96 96
// detected: asan valgrind
// fixed: if (a->used + size > a->size)
#include "arena.h"
#include <stdio.h>

struct node {
    int value;
    char op;
    struct node *left, *right;
};

static struct node *node(struct arena *a, char op, int value, struct node *l, struct node *r)
{
    struct node *n = arena_take(a, sizeof *n);
    if (n == NULL)
        return NULL;
    n->value = value; /* FAILS */
    n->op = op;
    n->left = l;
    n->right = r;
    return n;
}

static int evaluate(const struct node *n)
{
    switch (n->op) {
    case '+': return evaluate(n->left) + evaluate(n->right);
    case '-': return evaluate(n->left) - evaluate(n->right);
    case '*': return evaluate(n->left) * evaluate(n->right);
    default: return n->value;
    }
}

int main(int argc, char **argv)
{
    struct arena a;
    const char *p = argc > 1 ? argv[1] : "0";
    arena_open(&a, 4 * sizeof(struct node));
    struct node *tree = node(&a, 0, *p++ - '0', NULL, NULL);
    while (tree && p[0] && p[1]) {
        struct node *leaf = node(&a, 0, p[1] - '0', NULL, NULL);
        tree = leaf ? node(&a, p[0], 0, tree, leaf) : NULL;
        p += 2;
    }
    if (tree == NULL)
        puts("too long");
    else
        printf("%d\n", evaluate(tree));
    arena_close(&a);
    return 0;
}
