// run: --entry f --input a=44 --input b=55
// parameters: int a, int b
// grid: -2 130
#include <assert.h>
#include <stdio.h>
#include <string.h>
int f(int a, int b) {
  char s[8] = {'x', (char)a, (char)b, 0};
  int n = 0;
  if (strchr(s, ',') == s + 1)
    n = 1;
  char *first = strtok(s, ",");
  char *second = strtok(NULL, ",");
  int k = 0;
  if (second && sscanf(second, "%d", &k) == 1)
    n += k;
  assert(first == NULL || n < 8);
  return 0;
}
