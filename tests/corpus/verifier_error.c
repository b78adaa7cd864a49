extern void __VERIFIER_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void) {
  int n = __VERIFIER_nondet_int();
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += 2;
  if (sum != n) {
    __VERIFIER_error();
  }
  return 0;
}

// run: --nondet 2
