// What is divided by is looked at first: where it is zero, the quotient does not matter.
// run: --input y=0
// fails: 9 assertion
// steps: 8 8 9
// precondition: y == 0
procedure main(y: int) {
  var x: int;
  x := 1; if (y != 0 && 10 div y > 2) { x := 2; }
  assert x != 1;
}
