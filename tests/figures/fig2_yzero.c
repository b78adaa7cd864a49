void __VERIFIER_assert(int); int yZero(int input) {
  int x = 0;
  int y = input - 42;
  if (y < 0) {
    y = 0;
  }
  __VERIFIER_assert(x != 0);
  return x; }
