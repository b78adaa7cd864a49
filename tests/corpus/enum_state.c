#include <assert.h>

enum state { IDLE, RUNNING, STOPPED };

static enum state state = IDLE;
static int starts;

static void event(char c) {
  if (state == IDLE && c == 's') {
    state = RUNNING;
    starts++;
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
