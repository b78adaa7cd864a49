// refused: 8:12 expected `(`, found `;`
// refused: 13:11 expected an expression, found `;`
// refused: 14:5 expected `,`, `:=`, `:` or `[`, found `=`
// refused: 17:1 expected a declaration, found `end`
// refused: 20:17 expected `}` or a statement, found the end of the text
var x: int;

procedure a;

procedure b()
{
  var y: int;
  y := 1 +;
  y = 2;
  assert true;
}
end
procedure c() {
  if (true) {
    assert true;
