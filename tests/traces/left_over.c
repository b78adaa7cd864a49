// A call does not know what the last one left in its locals. That nothing leads to the label, and that the function may end
// without a value, is no reason for doubt.
// traces: 1, complete
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int classify(int n) {
    int kind;
    if (n > 10)
        kind = 2; // relevant in all
    if (n <= 10)
        kind = 1;
    return kind; // relevant in all
dead:
    goto dead;
}

int main(void) {
    int last = 0; // relevant in all
    for (int round = 0; round < 2; round++) { // relevant in all
        int n = __VERIFIER_nondet_int(); // relevant in all
        last = last + classify(n); // relevant in all
    }
    if (last == 4)
        __VERIFIER_error();
    return 0;
}
