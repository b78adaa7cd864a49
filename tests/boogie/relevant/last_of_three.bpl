// Only one of three is about the error. (Section 4.1.2.)
// run:
procedure foo()
{
  var x: int, y: int, z: int;
  x := 1;
  y := 2;
  z := 3; // RELEVANT
  assert z > 10;
}
