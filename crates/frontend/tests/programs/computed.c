#include <stdio.h>

/* A little interpreter with a computed goto. */
static int run(const char *code) {
  static void *const table[] = {&&push, &&add, &&twice, &&stop};
  int stack[8], top = 0;
  goto *table[*code - 'a'];
push:
  stack[top++] = *++code - '0';
  goto *table[*++code - 'a'];
add:
  top--;
  stack[top - 1] += stack[top];
  goto *table[*++code - 'a'];
twice:
  stack[top - 1] *= 2;
  goto *table[*++code - 'a'];
stop:
  return stack[0];
}

int main(int argc, char **argv) {
  printf("%d\n", run("a3a4bccd"));
  return run("a1d");
}
