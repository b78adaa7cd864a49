void check(int holds) {
  if (!holds) {
  ERROR:
    goto ERROR;
  }
}

int main(void) {
  int state = 1;
  for (int i = 0; i < 3; i++)
    state = state * 2;
  check(state != 8);
  return 0;
}

// run: --error-label ERROR
// fails: 4 signal the error label is reached
// tells: 9 11 11 11 12 4
