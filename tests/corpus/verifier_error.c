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
// fails: 10 signal __VERIFIER_error
// steps: 5 6 7 8 7 8 7 7 10
// reason: 10 because 9
// frame: 7 sum
