#include <assert.h>

int __VERIFIER_nondet_int(void);
void __VERIFIER_assume(int);

int main(void) {
  int n = __VERIFIER_nondet_int();
  __VERIFIER_assume(n >= 0 && n < 10);
  int s = 0;
  while (n > 1) {
    s = s + n;
    n = n - 1;
  }
  int expected = __VERIFIER_nondet_int();
  assert(s == expected);
  return 0;
}

// run: --nondet 3,6
// fix: 10 while (n > 0) {
// faults: 9 10 11 12
