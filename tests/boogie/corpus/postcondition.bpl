// What a procedure ensures is looked at where it returns; `old` is what was there before.
// run: --input balance=10 --input amount=20
// fails: 8 assertion balance == old(balance) - amount
var balance: int;
procedure withdraw(amount: int)
  modifies balance;
  requires amount > 0;
  ensures balance == old(balance) - amount;
{
  if (balance < amount) {
    return;
  }
  balance := balance - amount;
}
