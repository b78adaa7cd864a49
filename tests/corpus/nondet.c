int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);
void __VERIFIER_assert(int);

int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = __VERIFIER_nondet_int();
  int unused = __VERIFIER_nondet_int(); // irrelevant
  __VERIFIER_assume(x > 0);
  int z = x; // irrelevant
  if (y > x)
    z = y - x;
  __VERIFIER_assert(z >= x);
  return unused;
}

// run: --nondet 10,12,99
// fails: 13 assertion
// steps: 6 7 12 13
// reasons: 12 y > x
// precondition: true
