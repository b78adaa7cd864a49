// A variable that nobody sets may be anything; `where` says what it is not.
// run: --nondet -3
// fails: 9 assertion x > 0
procedure main()
{
  var x: int where x != 0;
  var unused: int;
  unused := 1; // irrelevant
  assert x > 0;
}
