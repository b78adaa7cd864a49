// run: --entry f --input a=97 --input b=98
// parameters: int a, int b
// grid: -2 130
#include <assert.h>
#include <string.h>
int f(int a, int b) {
  char s[4] = {(char)a, (char)b, 0, 0}, t[4];
  strncpy(t, s, sizeof t);
  int r = strcmp(t, "ac");
  assert(r >= 0 || memcmp(s, "a", 1) < 0);
  return 0;
}
