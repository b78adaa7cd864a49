// Functions are put in where they are used; constants are as axioms allow.
// run: --input limit=5
// fails: 17 assertion
// steps: 14 15 16 17
const limit: int;
axiom 0 < limit && limit < 10;
const unique first, second: int;
function double(x: int): int { x + x }
function clamp(x: int, most: int): int { if x < most then x else most }
procedure main()
{
  var x: int, y: int, z: int;

  x := double(limit);
  y := clamp(x, limit);
  z := double(y);
  assert z != double(limit);
}
