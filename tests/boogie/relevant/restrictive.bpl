// Both decide whether the end is reached, although x is chosen later: y = 0 stops it for every x. (Sections 4.1.3 and
// 4.2.2; by the oldest definition y would not be relevant, since the trace is restrictive in any case.)
// run: --nondet 5
procedure main()
{
  var x: int, y: int;
  y := 42; // RELEVANT
  havoc x; // RELEVANT
  assume x >= 0 && y >= 23;
  assert false;
}
