#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  char *copy = malloc(strlen(argv[1]));
  if (!copy)
    return 1;
  strcpy(copy, argv[1]);
  copy[0] = '*';
  printf("%s!\n", copy);
  free(copy);
  return 0;
}

// run:
// undefined: may
// test: args hello | out *ello\n
// fix: 13 printf("%s\n", copy);
// fix: 8 char *copy = malloc(strlen(argv[1]) + 1);
