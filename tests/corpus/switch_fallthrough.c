#include <assert.h>

enum op { ADD, SUB, MUL };

int apply(enum op op, int a, int b) {
  int result = 0; // irrelevant
  switch (op) {
  case ADD:
    result = a + b;
    break;
  case SUB:
    result = a - b; // irrelevant
  case MUL:
    result = a * b;
    break;
  }
  assert(op != SUB || result == a - b);
  return result;
}

// run: --entry apply --input op=SUB --input a=7 --input b=3
// fails: 17 assertion
// steps: 14 17
// reasons: 14 op == SUB
