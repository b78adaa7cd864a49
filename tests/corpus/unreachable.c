static int kind(int c) {
  switch (c) {
  case 1:
    return 4;
  case 2:
    return 5;
  default:
    __builtin_unreachable();
  }
}

int main(void) {
  int c = 1;
  c += 2;
  return kind(c);
}

// run:
// fails: 8 signal __builtin_unreachable() is reached
// steps: 13 14 15 8
