int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);

int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  int unused = __VERIFIER_nondet_int();
  __VERIFIER_assume(x > 0);
  int z = x;
  if (y > x)
    z = y - x;
  __VERIFIER_assert(z >= x);
  return unused;
}

// run: --nondet 10,12,99
