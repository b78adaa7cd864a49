// A request to stop, which is not respected: on this way the flag is never looked at. (Figure 2, the second error trace.)
// run: --nondet 0
procedure main()
{
  var p1: int, p2: int, i: int, stopOnRequest: bool, stopRequested: bool;
  p1 := 0;
  p2 := 0;
  i := 1; // RELEVANT
  stopOnRequest := false;
  while (i < 10) {
    if (i == 0) {
      p1 := 1;
      p2 := 1;
    }
    havoc stopRequested; // RELEVANT
    if (stopRequested) {
      if (stopOnRequest) {
        return;
      }
    }
    assert p1 != 0 && p2 != 0;
    i := i + 1;
  }
}
