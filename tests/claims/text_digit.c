// run: --entry f --input a=53 --input b=32
// parameters: int a, int b
// grid: -1 140
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
int f(int a, int b) {
  char s[3] = {(char)b, (char)a, 0};
  int n = isdigit(a & 255) ? 1 : 0;
  if (isspace(b & 127))
    n += 2;
  assert(n != 3 || strtol(s, NULL, 10) < 4);
  return 0;
}
