#include <assert.h>

int main(void) {
  static void *t[] = {&&add, &&sub, &&end};
  int code[] = {0, 1, 1, 2}, pc = 0, acc = 0;
  goto *t[code[pc++]];
add:
  acc += 3;
  goto *t[code[pc++]];
sub:
  acc -= 2;
  goto *t[code[pc++]];
end:
  assert(acc >= 0);
  return 0;
}

// run:
// fails: 14 assertion acc >= 0
// tells: 5 8 11 11 14
// invariant: 8 acc <= 3 && t[1] == (void *)0x2 && t[2] == (void *)0x3
