// The rest of a division is never negative.
// run: --input x=-7
// fails: 10 assertion q * 2 + r != x
// steps: 8 9 10
procedure main(x: int)
{
  var q: int, r: int;
  q := x div 2;
  r := x mod 2;
  assert q * 2 + r != x;
}
