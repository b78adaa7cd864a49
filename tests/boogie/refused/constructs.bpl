// refused: 15:6 a type constructor (`type Ref`) is not supported
// refused: 16:10 the type `real` is not supported
// refused: 17:8 a quantifier (`forall`) is not supported
// refused: 18:12 type parameters (of `id`) are not supported
// refused: 24:11 a quantifier (`exists`) is not supported
// refused: 25:10 real division (`/`) is not supported
// refused: 26:9 `lambda` is not supported
// refused: 27:8 `call forall` is not supported
// refused: 28:3 concurrency (`yield`) is not supported
// refused: 29:25 `&&` and `||` beside each other without parentheses are not supported
// refused: 30:8 real numbers (`1.5`) are not supported
// refused: 31:11 a type coercion (`e: type`) is not supported
// refused: 32:8 `99999999999999999999999999999999999999999` leaves the range of 64 bits

type Ref;
const r: real;
axiom (forall x: int :: x > x);
function id<T>(x: T): T;
procedure yes()
{
}
procedure p() {
  var x: int;
  assume (exists y: int :: y > x);
  x := x / 2;
  x := (lambda y: int :: y)[x];
  call forall yes();
  yield;
  assert x > 0 && x < 1 || x == 3;
  x := 1.5;
  x := (x : int);
  x := 99999999999999999999999999999999999999999;
}
