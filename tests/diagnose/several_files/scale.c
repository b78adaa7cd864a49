int factor = 4;

int scale(int x) {
  return x + factor;
}
