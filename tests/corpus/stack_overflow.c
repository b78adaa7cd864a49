static int countdown(int n) {
  if (n == 0)
    return 0;
  return 1 + countdown(n - 2);
}

int main(void) {
  int steps = countdown(7);
  return steps;
}

// run:
// status: 0 4
// fails: 4 signal the stack overflows
