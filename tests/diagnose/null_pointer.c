#include <stdio.h>

static int find(const int *table, int n, int key) {
  for (int i = 0; i < n; i++)
    if (table[i] == key)
      return i;
  return -1;
}

int main(void) {
  int table[3] = {4, 5, 6};
  int *p = NULL;
  int at = find(table, 3, 5);
  if (at > 1)
    p = &table[at];
  *p = 0;
  return table[1];
}

// run: --expect-status 0
// fix: 14 if (at >= 0)
