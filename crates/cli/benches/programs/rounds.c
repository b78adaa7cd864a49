/* Growth: the same statements in n rounds. What fails depends on every round through the loop's condition. */
#include <assert.h>

int work(int n) {
  int sum = 0;
  int noise = 1;
  for (int i = 0; i < n; i++) {
    sum += i & 7;
    noise = noise * 3 + 1;
    if (noise < 0)
      noise = -noise;
  }
  assert(sum < 1);
  return sum;
}
