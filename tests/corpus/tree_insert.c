#include <assert.h>
#include <stdlib.h>

struct tree { int key; struct tree *left, *right; };

static struct tree *insert(struct tree *t, int key) {
  if (!t) {
    t = calloc(1, sizeof *t);
    t->key = key;
    return t;
  }
  if (key < t->key)
    t->left = insert(t->left, key);
  else
    t->left = insert(t->right, key);
  return t;
}

int main(void) {
  struct tree *root = NULL;
  root = insert(root, 5);
  root = insert(root, 2);
  root = insert(root, 8);
  assert(root->left->key == 2);
  return 0;
}

// run:
// fails: 24 assertion
// steps: 20 21 8 9 10 21 22 16 22 23 15 9 24
