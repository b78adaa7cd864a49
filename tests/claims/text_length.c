// run: --entry f --input a=120 --input b=121
// parameters: int a, int b
// grid: -2 130
#include <assert.h>
#include <string.h>
int f(int a, int b) {
  char s[4] = {(char)a, (char)b, 0, 0}, t[8];
  strcpy(t, s);
  strcat(t, "z");
  assert(strlen(t) < 3);
  return 0;
}
