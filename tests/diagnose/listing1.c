int absValue(int x) {
  int abs;
  if (x >= 0) {
    abs = x;
  } else {
    abs = x * 1;
  }
  assert(abs >= 0);
  return abs;
}

// run: --entry absValue --cc-arg -include --cc-arg assert.h
// test: inputs x=-1
// fix: 6 abs = x * -1;
// sets: {6} {3,4}
// sets t1: {6} {3,4}
// conflicts t1: {3,6} {4,6}
