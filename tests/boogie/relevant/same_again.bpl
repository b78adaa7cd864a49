// The same value twice: only the second can be repaired. Error invariants would name the first. (Section 3.1.)
// run:
procedure foo()
{
  var x: int;
  x := 7;
  x := 7; // RELEVANT
  assert x > 10;
}
