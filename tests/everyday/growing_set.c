/* A hash set that shrinks and grows with its contents. */
// run:
// fails: signal
// class: division by zero
// fixed: rehash(s, s->capacity > 4 ? s->capacity / 4 : 1);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    unsigned key;
    struct entry *next;
};

struct set {
    struct entry **buckets;
    size_t capacity;
    size_t size;
};

static void rehash(struct set *s, size_t capacity) {
    struct entry **fresh = calloc(capacity + 1, sizeof *fresh);
    for (size_t i = 0; i < s->capacity; i++) {
        struct entry *e = s->buckets[i];
        while (e) {
            struct entry *next = e->next;
            size_t at = e->key % capacity;
            e->next = fresh[at];
            fresh[at] = e;
            e = next;
        }
    }
    free(s->buckets);
    s->buckets = fresh;
    s->capacity = capacity;
}

static void set_add(struct set *s, unsigned key) {
    if (s->size >= 2 * s->capacity)
        rehash(s, s->capacity * 2);
    size_t at = key % s->capacity; /* FAILS */
    struct entry *e = malloc(sizeof *e);
    e->key = key;
    e->next = s->buckets[at];
    s->buckets[at] = e;
    s->size++;
}

static void set_remove(struct set *s, unsigned key) {
    struct entry **link = &s->buckets[key % s->capacity];
    while (*link && (*link)->key != key)
        link = &(*link)->next;
    if (*link) {
        struct entry *dead = *link;
        *link = dead->next;
        free(dead);
        s->size--;
        if (s->size < s->capacity / 2)
            rehash(s, s->capacity / 4); /* CAUSE */
    }
}

int main(void) {
    struct set s = {0};
    rehash(&s, 2);
    set_add(&s, 7);
    set_remove(&s, 7);
    printf("%zu of %zu\n", s.size, s.capacity);
    set_add(&s, 12);
    printf("%zu of %zu\n", s.size, s.capacity);
    return 0;
}
