#include <stdio.h>

int main(void) {
  int c, inside = 1, words = 0;
  while ((c = getchar()) != EOF) {
    if (c == ' ' || c == '\n') {
      inside = 0;
    } else if (!inside) {
      inside = 1;
      words++;
    }
  }
  printf("%d\n", words);
  return 0;
}

// run:
// test: in a bc\n | out 2\n
// test: in  a\n | out 1\n
// fix: 4 int c, inside = 0, words = 0;
