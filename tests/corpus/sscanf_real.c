#include <assert.h>
#include <stdio.h>

// What is read without a model is written together: each place as if the others were still as before.
int main(void) {
  char line[32];
  int id, last = 0, other;
  double amount; // irrelevant
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "%d %d %lf", &id, &other, &amount) == 3)
      assert(last == other);
    else if (sscanf(line, "%d", &id) == 1)
      last = id;
  }
  return 0;
}

// run:
// stdin: 1\n2\n1 3 0\n
// fails: 11 assertion last == other
// steps: 9 10 9 10 12 13 9 10 11
// precondition: true
