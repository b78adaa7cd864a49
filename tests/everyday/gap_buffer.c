/* A text buffer with insertion in the middle. */
// run: -- hllo e 1
// fails: memory
// class: overlapping copy
// memory: overlap
// detected: asan
// fixed: memmove(b->data + at + n, b->data + at, b->length - at);
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    char *data;
    size_t length;
    size_t capacity;
};

static int reserve(struct buffer *b, size_t more)
{
    if (b->length + more <= b->capacity)
        return 1;
    size_t capacity = 2 * (b->length + more);
    char *data = realloc(b->data, capacity); /* MADE */
    if (data == NULL)
        return 0;
    b->data = data;
    b->capacity = capacity;
    return 1;
}

static int insert(struct buffer *b, size_t at, const char *text)
{
    size_t n = strlen(text);
    if (at > b->length || !reserve(b, n))
        return 0;
    memcpy(b->data + at + n, b->data + at, b->length - at); /* CAUSE FAILS */
    memcpy(b->data + at, text, n);
    b->length += n;
    return 1;
}

int main(int argc, char **argv)
{
    struct buffer b = {NULL, 0, 0};
    if (argc != 4)
        return 2;
    if (!insert(&b, 0, argv[1]) || !insert(&b, (size_t)atoi(argv[3]), argv[2]))
        return 1;
    printf("%.*s (%zu)\n", (int)b.length, b.data, b.length);
    free(b.data);
    return 0;
}
