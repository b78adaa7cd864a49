#include <stdio.h>
static int hidden = 1;
static int help(int x) { return x + hidden; }
int shared_value = 5;
int from_b(int x);
int main(int argc, char **argv) {
  printf("%d %d %d\n", help(argc), from_b(argc), shared_value);
  return 0;
}
