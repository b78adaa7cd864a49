// y has nothing to do with the error; counting blocked executions would say otherwise. (Section 4.2.3.)
// run: --nondet 5
procedure main()
{
  var x: int, y: int;
  y := 10;
  havoc x; // RELEVANT
  assume x > 0;
  assert false;
}
