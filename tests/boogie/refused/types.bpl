// refused: 14:8 this is of type bool, not int
// refused: 15:3 there is no variable `z`
// refused: 16:10 this is of type int, not bool
// refused: 17:3 `g` is not among what `p` modifies
// refused: 18:8 `q` has 1 parameters and 0 results
// refused: 19:8 there is no label `nowhere`
// refused: 20:3 the parameter `a` cannot be assigned to
// refused: 21:3 2 variables are assigned 1 values
var g: int;
procedure q(a: int);
procedure p(a: int)
{
  var x: int, y: int, m: [int]bool;
  x := true;
  z := 1;
  assert x + 1;
  g := 1;
  call q();
  goto nowhere;
  a := 2;
  x, y := 1;
}
