// A loop whose invariant is not kept: it is looked at whenever the loop is come to.
// run: --input n=3
// precondition: n >= 2
// fails: 15 assertion s <= 2 * i
// steps: 11 12 17 18 19 17 18 19 15
procedure sum(n: int) returns (s: int)
  requires n >= 0;
{
  var i: int;

  i := 0;
  s := 0;
  while (i < n)
    invariant i <= n;
    invariant s <= 2 * i;
  {
    if (i == 1) { s := s + 1; }
    s := s + 2;
    i := i + 1;
  }
}
