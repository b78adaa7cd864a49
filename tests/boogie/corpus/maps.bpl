// Maps, and maps of maps.
// run:
// fails: 18 assertion count[k] <= 1
// tells: 12 18
procedure main()
{
  var count: [int]int, seen: [int][bool]bool, i: int, k: int;
  i := 0;
  while (i < 3) {
    k := i mod 2;
    if (i >= 2 && seen[k][true]) {
      count[k] := count[k] + 1;
    } else {
      count[k] := 1;
    }
    seen[k][true] := true;
    i := i + 1;
    assert count[k] <= 1;
  }
}
