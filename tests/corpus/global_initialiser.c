#include <assert.h>

struct config { int retries; int delay; const char *name; };

static struct config config = {3, 0, "default"};
static int *const delay = &config.delay;

int wait_time(int attempt) {
  int total = *delay * attempt;
  int left = config.retries - attempt; // irrelevant
  assert(total > 0);
  return total + left;
}

// run: --entry wait_time --input attempt=2
// fails: 11 assertion
// steps: 5 9 11
// precondition: true
