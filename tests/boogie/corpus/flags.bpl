// Conditions of flags read as they are written.
// run: --input stop=false --input ready=true
// fails: 12 assertion done <==> ready
// invariant: 9 ready && !done
// steps: 9 10 12
procedure main(stop: bool, ready: bool)
{
  var done: bool;
  done := stop;
  if (ready ==> done) {
    done := true; }
  assert done <==> ready;
}
