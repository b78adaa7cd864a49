#include <assert.h>
#include <stdio.h>

int main(void) {
  int c, lines = 0, letters = 0;
  while ((c = getchar()) != EOF) {
    letters++;
    if (c == '\n')
      lines++;
  }
  assert(lines == 2);
  return 0;
}

// run:
// stdin: ab\ncd
