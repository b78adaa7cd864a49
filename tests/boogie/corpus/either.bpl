// `if (*)` and `while (*)` go either way.
// run: --nondet 1,1,0,1
// fails: 17 assertion level <= 1
// steps: 8 10 11 10 11 10 10 17
procedure main()
{
  var level: int, open: bool;
  level := 0;
  open := false;
  while (*) {
    level := level + 1;
  }
  if (*) {
    open := true;
  }

  assert level <= 1;
}
