void __VERIFIER_assert(int); void xZero(int input) {
  int x = 1;
  int y = input - 42;
  if (y < 0) {
    x = 0;
  }
  __VERIFIER_assert(x != 0);
}
