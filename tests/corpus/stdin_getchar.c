#include <assert.h>
#include <stdio.h>

int main(void) {
  int c, lines = 0, letters = 0;
  while ((c = getchar()) != EOF) {
    letters++; // irrelevant
    if (c == '\n')
      lines++;
  }
  assert(lines == 2);
  return 0;
}

// run:
// stdin: ab\ncd
// fails: 11 assertion
// steps: 5 6 8 6 8 6 9 6 8 6 8 6 6 11
// frame: 8 lines
// frame: 6 lines
// precondition: true
