// run: --entry f --input state=0 --input n=2
// parameters: int state, int n
#include <assert.h>
int f(int state, int n) {
  int x = 0;
  for (;;) {
    switch (state) {
    case 0:
      x += n;
      state = 2;
      continue;
    case 1:
      x += 5;
      state = 2;
      continue;
    case 2:
      x++;
      break;
    default:
      return 0;
    }
    if (x > 2)
      break;
    state = 1;
  }
  assert(x != 3);
  return 0;
}
