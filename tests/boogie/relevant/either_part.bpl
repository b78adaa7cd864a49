// A negative x is enough, whatever y is. (Section 2.1.)
// run: --nondet -1
procedure foo()
{
  var x: int, y: int;
  y := 7;
  havoc x; // RELEVANT
  assert x >= 0 && y >= 0;
}
