#include <assert.h>
#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t seen;
static int level = 2;

static void on_signal(int number) {
  seen = seen + level;
}

static void at_end(void) {
  assert(seen == 2);
}

int main(void) {
  atexit(at_end);
  signal(SIGUSR1, on_signal);
  raise(SIGUSR1);
  raise(SIGUSR1);
  return 0;
}

// run:
// fails: 13 assertion seen == 2
// tells: 9 9 13
