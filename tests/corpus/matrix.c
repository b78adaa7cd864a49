#include <assert.h>

#define N 3

static void transpose(int m[N][N]) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int t = m[i][j];
      m[i][j] = m[j][i];
      m[j][i] = t;
    }
}

int main(void) {
  int m[N][N] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  transpose(m);
  assert(m[0][1] == 4);
  return 0;
}

// run:
// fails: 17 assertion
// tells: 15 8 10 8 10 17
// max-steps: 13
// precondition: true
