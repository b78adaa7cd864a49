// Two pointers are never set since the loop begins at 1: to set one of them alone would not help. (Figure 1.)
// run:
procedure main()
{
  var p1: int, p2: int, i: int;
  p1 := 0;
  p2 := 0;
  i := 1; // RELEVANT
  while (i < 10) {
    if (i == 0) {
      p1 := 1;
      p2 := 1;
    }
    assert p1 != 0 && p2 != 0;
    i := i + 1;
  }
}
