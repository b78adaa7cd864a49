int choose(int x) {
  int y;
  if (x > 0) {
    y = 1;
  } else {
    y = 42;
  }
  assert((x == 0 && y == 0) || (x != 0 && y == 42));
  return y;
}

// run: --entry choose --cc-arg -include --cc-arg assert.h
// test: inputs x=0
// test: inputs x=1
// fix: 4 y = 42;
// fix: 6 y = 0;
// sets t1: {6} {3,4}
// sets t2: {3} {4}
// conflicts t1: {3,6} {4,6}
// conflicts t2: {3,4}
// sets: {3,4} {3,6} {4,6}
// product: {3,4} {3,6} {4,6}
