// refused: 9:7 `fill` has no body and sets the whole map `m`, which is not supported
var m: [int]int;
procedure fill();
  modifies m;
procedure p(i: int)
  modifies m;
{
  while (*) {
      call fill();
  }
}
