// refused: 8:15 the map `a` as a parameter or result is not supported
// refused: 12:3 to set the whole map `m` is not supported
// refused: 13:9 to set the whole map `m` is not supported
// refused: 14:10 a whole map as a value is not supported
// refused: 15:11 this number leaves the range of 64 bits
// what: whole maps are neither values nor set
var m: [int]int, n: [int]int;
procedure bad(a: [int]int);
procedure p(i: int)
  modifies m;
{
  m := n;
  havoc m;
  assert m == n;
  m[i] := 9223372036854775808;
}
