int __VERIFIER_assert();

scale(value, factor)
int value, factor;
{
  register product;
  product = value * value;
  return product;
}

int run(n)
{
  int twice;
  twice = scale(n, 2);
  __VERIFIER_assert(twice == n + n);
  return twice;
}

// run: --entry run --input n=5
// fails: 15 assertion
// steps: 14 7 8 14 15
