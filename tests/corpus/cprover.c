int nondet_int(void);

int main(void) {
  int x = nondet_int();
  __CPROVER_assume(x > 10 && x < 20);
  int y = x / 2;
  __CPROVER_assert(y != 8, "y is not eight");
  return 0;
}

// run: --nondet 17
// fails: 7 assertion y != 8
// steps: 4 6 7
