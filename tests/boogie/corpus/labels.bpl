// Labels and jumps, one of them either way.
// run: --nondet 0,1
// fails: 14 assertion state != 2
// steps: 10 12 13 13 14
procedure main()
{
  var state: int;
start:
  state := 0;
  goto left, right;
left: state := 1;  goto done;
right: state := 2;
  goto done, start;
done: assert state != 2;
}
