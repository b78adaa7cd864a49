procedure printf(text: int); procedure absValue(input: int) returns (abs: int) {
  var sign: int;
  abs := input;
  if (input == 0) {
    return; }
  if (input < 0) {
    sign := -1;
    call printf(0);
  } else {
    sign := 1;
    call printf(1);
  }
  if (sign == -1) {
    sign := input * -1;
  } else {
    abs := input;
  }
  assert abs >= 0;

}
