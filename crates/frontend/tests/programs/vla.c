#include <alloca.h>
#include <stdio.h>

static int fill(int n) {
  int row[n], sum = 0;
  int grid[n][3];
  for (int i = 0; i < n; i++) { row[i] = i * i; grid[i][i % 3] = i; }
  for (int i = 0; i < n; i++) { char *more = alloca(16); more[0] = (char)i; sum += row[i] + grid[i][i % 3] + more[0]; }
  return sum;
}

int main(int argc, char **argv) {
  printf("%d %d\n", fill(argc + 4), fill(9));
  return 0;
}
