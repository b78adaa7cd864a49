#include <assert.h>

int checks = 0;

static int valid(int id) {
  checks++;
  return id > 0;
}

int main(void) {
  int a = 0, b = 7;
  int ok = 0; // irrelevant
  if (valid(a) && valid(b))
    ok = 1;
  assert(checks == 2);
  return ok;
}

// run:
// fails: 15 assertion
// steps: 3 11 13 6 7 13 15
// frame: 13 checks
// precondition: true
