#include <assert.h>

static int parsed;
static int errors;

static int parse(int token) {
  if (token < 0) {
    errors++; // irrelevant
    return -1;
  }
  if (token == 0)
    return 0;
  parsed = parsed + 1;
  return 1;
}

int main(void) {
  parse(5);
  parse(-3);
  parse(0);
  assert(parsed == 2);
  return 0;
}

// run:
// fails: 21 assertion
// steps: 3 18 13 19 7 20 11 21
// reasons: 13 token >= 0; token != 0
// frame: 7 parsed
// frame: 11 parsed
// precondition: true
