/* Old C: implicit declarations, implicit int, definitions that calls do not fit. */
scale(a, b) int a; char b; { return a * b; }
long wide(x) long x; { return x + 1; }
char *pick();
int nothing() { return 0; }

main(argc, argv) int argc; char **argv;
{
  int n = scale(6, 7) + nothing(1, 2);
  n += late(argc);
  printf("%d %d %s\n", n, (int)wide(41L), pick(argc));
  return __VERIFIER_nondet_int() + n % 5;
}

int late(int x) { return x + 100; }
char *pick(n) int n; { return n > 1 ? "many" : "one"; }
