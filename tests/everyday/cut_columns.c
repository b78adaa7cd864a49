// Prints the first columns of each line; a record is put together again from the columns it has.
// run: -- 2
// stdin: red green blue white\n
// fails: output
// class: wrong output
// fixed: r->count = count;
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 16

struct record {
    char *column[MOST];
    size_t length[MOST];
    int count;
    char text[256];
    size_t size;
};

static void split(struct record *r, char *line)
{
    char *word = strtok(line, " \n");

    r->count = 0;
    while (word != NULL && r->count < MOST) {
        r->column[r->count] = word;
        r->length[r->count] = strlen(word);
        r->count++;
        word = strtok(NULL, " \n");
    }
}

static void join(struct record *r)
{
    r->size = 0;
    for (int i = 0; i < r->count; i++) {
        if (i > 0)
            r->text[r->size++] = ' ';
        memcpy(r->text + r->size, r->column[i], r->length[i]);
        r->size += r->length[i];
    }
}

static void resize(struct record *r, int count)
{
    for (int i = r->count; i < count; i++) {
        r->column[i] = "";
        r->length[i] = 0;
    }
    if (count > r->count) /* CAUSE */
        r->count = count;
    join(r);
}

int main(int argc, char **argv)
{
    static struct record record;
    char line[256];
    int columns = argc > 1 ? atoi(argv[1]) : 1;

    while (fgets(line, sizeof line, stdin) != NULL) {
        split(&record, line);
        resize(&record, columns);
        fwrite(record.text, 1, record.size, stdout); /* FAILS */
        fputs("\n", stdout);
    }
    return 0;
}
