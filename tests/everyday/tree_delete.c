// A binary search tree of words' lengths; deletes a node with two children.
// run:
// fails: signal|memory
// class: null pointer
// memory: null
// detected: asan valgrind
// fixed: if (parent) parent->left = next->right; else node->right = next->right;
#include <stdio.h>
#include <stdlib.h>

typedef struct Node Node;
struct Node {
    int key;
    Node *left, *right;
};

static Node *node_new(int key) {
    Node *n = calloc(1, sizeof(Node));
    n->key = key;
    return n;
}

static Node *insert(Node *root, int key) {
    if (root == NULL)
        return node_new(key);
    if (key < root->key)
        root->left = insert(root->left, key);
    else if (key > root->key)
        root->right = insert(root->right, key);
    return root;
}

static Node *delete(Node *node, int key) {
    if (node == NULL)
        return NULL;
    if (key < node->key) {
        node->left = delete(node->left, key);
    } else if (key > node->key) {
        node->right = delete(node->right, key);
    } else if (node->left == NULL || node->right == NULL) {
        Node *child = node->left ? node->left : node->right;
        free(node);
        return child;
    } else {
        Node *parent = NULL, *next = node->right;
        while (next->left != NULL) {
            parent = next;
            next = next->left;
        }
        node->key = next->key;
        parent->left = next->right; /* CAUSE FAILS */
        free(next);
    }
    return node;
}

static void print(const Node *n) {
    if (n) {
        print(n->left);
        printf("%d ", n->key);
        print(n->right);
    }
}

int main(void) {
    int keys[] = {50, 30, 70, 20, 40, 80};
    Node *root = NULL;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        root = insert(root, keys[i]);
    root = delete(root, 20);
    root = delete(root, 50);
    print(root);
    printf("\n");
    return 0;
}
