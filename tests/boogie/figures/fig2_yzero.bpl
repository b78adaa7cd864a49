procedure yZero(input: int) returns (x: int) { var y: int;
  x := 0;
  y := input - 42;
  if (y < 0) {
    y := 0;
  }
  assert x != 0;
}
