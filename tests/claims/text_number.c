// run: --entry f --input a=41 --input b=1
// parameters: int a, int b
// grid: -130 130
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int f(int a, int b) {
  char s[32];
  int n = sprintf(s, "%d", a + b);
  assert(atoi(s) < 40 || n != 2 || s[0] != '4');
  return 0;
}
