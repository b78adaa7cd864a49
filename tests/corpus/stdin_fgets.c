#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char line[32];
  int is_quit = 0; // irrelevant
  if (fgets(line, sizeof line, stdin))
    is_quit = line[0] == 'q' && line[1] == 'u' && line[2] == 'i' && line[3] == 't' && line[4] == '\0';
  assert(is_quit);
  return 0;
}

// run:
// stdin: quit\n
// fails: 10 assertion is_quit
// steps: 8 9 10
// precondition: true
