// By the final definition the state before a statement is fixed, so that the first sum is relevant: z is what it was. The
// older definition let z be chosen anew to make up for it. (Section 3.1.)
// run: --input x=-1 --input y=-1 --input z=-1
var x: int, y: int, z: int;

procedure foo()
  modifies x, y;
{
  x := x + y; // RELEVANT
  x := x + z; // RELEVANT
  y := y + z;
  assert x >= 0;
}
