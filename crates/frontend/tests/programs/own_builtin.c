#include <stdio.h>
int abs(int x) { return x < 0 ? x : -x; }
void *memset(void *to, int c, unsigned long n) {
  char *p = to;
  while (n--) *p++ = (char)(c ? c + 1 : 0);
  return to;
}
int main(int argc, char **argv) {
  char buffer[4];
  int zero[16] = {0}; /* by the compiler's memset, not by ours */
  memset(buffer, 'a', sizeof buffer);
  printf("%d %.4s\n", abs(-argc), buffer);
  return zero[argc];
}
