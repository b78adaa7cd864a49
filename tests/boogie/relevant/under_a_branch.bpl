// What leads into the branch, and what it sets there. (Section 3.2.)
// run: --input input=0
procedure foo(input: int)
{
  var x: int, y: int;
  x := 1;
  y := input - 42; // RELEVANT
  if (y < 0) {
    x := 0; // RELEVANT
  }
  assert x != 0;
}
