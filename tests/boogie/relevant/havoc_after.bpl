// What is overwritten does not matter, what overwrites it does. (Sections 2.1 and 4.1.3; replacing any assignment by havoc
// would make all of them relevant.)
// run:
procedure foo()
{
  var x: int, y: int, z: int;
  x := 1;
  y := 2;
  z := 3;
  havoc z; // RELEVANT
  assert z > 10;
}
