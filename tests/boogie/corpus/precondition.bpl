// What a procedure requires is looked at where it is called.
// run: --input x=4
// fails: 19 assertion
procedure half(n: int) returns (h: int)
  requires n mod 2 == 0;
  ensures h + h == n;
{
  h := n div 2;
}

procedure main(x: int)
{
  var y: int;
  call y := half(x);
  y := y + 1;
  if (y mod 2 == 0) {
    call y := half(y);
  } else {
    call y := half(y); }
}
