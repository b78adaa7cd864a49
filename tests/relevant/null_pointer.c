// A list that ends too early: what is dereferenced was never set. What a list does that begins with itself, a run tells.
// run:
#include <stddef.h>

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node second = {2, NULL}; /* RELEVANT */
    struct node first = {1, &second}; /* RELEVANT */
    struct node *at = &first;
    int rounds = 3; /* RELEVANT */
    int sum = 0;
    while (rounds > 0) {
        sum += at->value;
        at = at->next; /* RELEVANT */
        rounds--; /* RELEVANT */
    }
    return sum;
}
