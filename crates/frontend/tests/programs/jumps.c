#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static jmp_buf out;
static void handler(int s) { printf("signal %d\n", s); longjmp(out, 3); }
static void last(void) { puts("last"); }
__attribute__((constructor)) static void early(void) { puts("early"); }
int main(int argc, char **argv) {
  atexit(last);
  signal(SIGUSR1, handler);
  int n = setjmp(out);
  printf("back %d\n", n);
  if (n == 0) raise(SIGUSR1);
  exit(n);
}
