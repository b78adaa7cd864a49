/* A comment stripper as a state machine: after "/" a star is eaten, but "/x" forgets to leave SLASH. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

enum state { CODE, SLASH, COMMENT, STAR };

struct stripper {
    enum state state;
    int comments;
    size_t used;
    char out[80];
};

static void emit(struct stripper *s, char c)
{
    s->out[s->used++] = c;
    s->out[s->used] = '\0';
}

static void feed(struct stripper *s, char c)
{
    switch (s->state) {
    case CODE:
        if (c == '/')
            s->state = SLASH;
        else
            emit(s, c);
        break;
    case SLASH:
        if (c == '*') {
            s->state = COMMENT;
            s->comments++;
        } else if (c == '/') {
            emit(s, '/');
        } else {
            emit(s, '/');
            emit(s, c);
        }
        break;
    case COMMENT:
        if (c == '*')
            s->state = STAR;
        break;
    case STAR:
        if (c == '/')
            s->state = CODE;
        else if (c != '*')
            s->state = COMMENT;
        break;
    }
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "q = a/*p; r = 2;";
    struct stripper s;
    memset(&s, 0, sizeof s);
    for (; *text; text++)
        feed(&s, *text);
    printf("%s (%d comments)\n", s.out, s.comments);
    assert(s.state == CODE);
    return 0;
}

// says: fails: s.state is COMMENT
// says: s.state is COMMENT since line 32, in feed(&s, *text)
// shows: 26 32
// run:
