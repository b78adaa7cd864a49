// Bit vectors wrap, and are cut and joined.
// run: --input a=200 --input b=100
// fails: 11 assertion
// steps: 9 10 11
function {:bvbuiltin "bvadd"} add(a: bv8, b: bv8) returns (bv8);
function {:bvbuiltin "bvuge"} uge(a: bv8, b: bv8) returns (bool);
procedure main(a: bv8, b: bv8) {
  var c: bv8, w: bv16;
  c := add(a, b);
  w := c ++ 255bv8;
  assert uge(w[16:8], a);
}
