procedure xZero(input: int) { var x: int; var y: int;
  x := 1;
  y := input - 42;
  if (y < 0) {
    x := 0;
  }
  assert x != 0;
}
