// A procedure that calls itself, several results, assignments at once.
// run: --input n=3
// fails: 16 assertion a == n
procedure count(n: int) returns (a: int, b: int)
{
  a, b := 0, 0;
  if (n > 0) {
    call a, b := count(n - 1);
    a, b := b, a + 1;
  }
}
procedure main(n: int)
{
  var a: int, b: int;
  call a, b := count(n);
  assert a == n;
}
