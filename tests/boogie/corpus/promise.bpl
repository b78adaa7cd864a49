// A procedure without a body gives anything that it ensures, and changes what it modifies.
// run: --nondet 5,7
// fails: 15 assertion r < g
// precondition: true
var g: int;
procedure next(a: int) returns (r: int);
  requires a > 0;
  modifies g;
  ensures r > a && g >= old(g);
procedure main()
  modifies g;
{
  var r: int;
  g := 3;  call r := next(4);
  assert r < g;
}
