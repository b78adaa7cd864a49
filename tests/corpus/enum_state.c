#include <assert.h>

enum state { IDLE, RUNNING, STOPPED };

static enum state state = IDLE;
static int starts;

static void event(char c) {
  if (state == IDLE && c == 's') {
    state = RUNNING;
    starts++; // irrelevant
  } else if (state == RUNNING && c == 'x') {
    state = STOPPED;
  }
}

int main(void) {
  const char *events = "sxs";
  for (int i = 0; events[i]; i++)
    event(events[i]);
  assert(state == RUNNING);
  return 0;
}

// run:
// fails: 21 assertion
// steps: 5 20 10 20 13 9 21
// reasons: 10 state == IDLE; c == 's'
// reasons: 13 state == RUNNING; c == 'x'
// frame: 9 state
