// A vending machine as a state machine over an event string.
// run: -- 5x
// fails: memory
// class: uninitialised
// memory: uninitialised
// detected: valgrind
// fixed: m.state = IDLE; m.coins = 0; m.price = 0;
#include <ctype.h>
#include <stdio.h>

enum state { IDLE, PAID, DONE };

struct machine {
    enum state state;
    int coins;
    int price;
};

static struct machine machine_start(void)
{
    struct machine m;
    m.state = IDLE; m.coins = 0; /* CAUSE */
    return m;
}

static void choose(struct machine *m, char product)
{
    if (product == 'a')
        m->price = 3;
    if (product == 'b')
        m->price = 4;
    if (m->coins >= m->price) { /* FAILS */
        m->coins -= m->price;
        m->state = DONE;
    }
}

static void handle(struct machine *m, char event)
{
    if (isdigit((unsigned char)event)) {
        m->coins += event - '0';
        m->state = PAID;
    } else if (m->state == PAID) {
        choose(m, event);
    }
}

int main(int argc, char **argv)
{
    struct machine m = machine_start();
    for (const char *p = argc > 1 ? argv[1] : ""; *p; p++)
        handle(&m, *p);
    printf("%s, %d coins left\n", m.state == DONE ? "sold" : "not sold", m.coins);
    return 0;
}
