int main(void) {
  int n = 6;
  n = n - 1;
  return n;
}

// run: --expect-status 6
// fix: 3 n = n - 0;
// sets: {2} {3} {4}
