#include <assert.h>

int grid[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};

int main(void) {
  int trace = 0;
  int cells = 0; // irrelevant
  for (int row = 0; row < 3; row++)
    for (int col = 0; col < 3; col++) {
      cells++; // irrelevant
      if (row == col && row != 1)
        trace += grid[row][col];
    }
  assert(trace == 15);
  return cells;
}

// run:
// fails: 14 assertion
// max-steps: 31
// frame: 11 trace
// frame: 8 trace
// frame: 9 trace
// reasons: 12 col < 3; row == col; row != 1
