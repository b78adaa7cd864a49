#include <assert.h>
#include <string.h>

int main(void) {
  char text[] = "10,x30";
  int n = 0;
  for (char *t = strtok(text, ","); t; t = strtok(NULL, ","))
    n += strcspn(t, "x") != 0;
  assert(n == 2);
  return 0;
}

// run:
// fails: 9 assertion n == 2
// tells: 5 7 8 7 9
// no-notes:
