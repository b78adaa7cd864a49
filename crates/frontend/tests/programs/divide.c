static int ratio(int a, int b) { return a / b; }
int main(int argc, char **argv) {
  int total = 0;
  for (int i = 3; i > -1; i--) total += ratio(12, i);
  return total;
}
