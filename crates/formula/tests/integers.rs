//! Bit-vectors read as integers: where nothing overflows, both readings are the same numbers.

use wherefore_formula::{BinaryOp, CompareOp, Integers, Sort, TermId, Terms, VarId};

const X: VarId = VarId(0);
const Y: VarId = VarId(1);
const BYTE: Sort = Sort::Bits(8);

/// Terms over two bytes, none of which overflows with numbers from -5 to 5.
fn readable(terms: &mut Terms) -> Vec<TermId> {
    let (x, y) = (terms.var(X, BYTE), terms.var(Y, BYTE));
    let constant = |terms: &mut Terms, value: u128| terms.bits(8, value);
    let mut all = vec![x, terms.neg(x), terms.bit_not(x)];
    for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::UDiv, BinaryOp::URem] {
        all.push(terms.binary(op, x, y));
    }
    let three = constant(terms, 3);
    for op in [BinaryOp::SDiv, BinaryOp::SRem, BinaryOp::Shl, BinaryOp::LShr, BinaryOp::AShr] {
        all.push(terms.binary(op, x, three));
    }
    let low_bits = constant(terms, 7);
    all.push(terms.binary(BinaryOp::And, x, low_bits));
    all.extend([terms.extract(x, 0, 4), terms.extract(x, 2, 3), terms.extract(x, 7, 1)]);
    all.extend([terms.zero_extend(x, 16), terms.sign_extend(x, 16), terms.concat(x, y)]);
    for op in CompareOp::ALL {
        all.push(terms.compare(op, x, y));
    }
    let (equal, less) = (terms.eq(x, y), terms.compare(CompareOp::Slt, x, y));
    let (both, either, not) = (terms.and2(less, equal), terms.or2(less, equal), terms.not(less));
    all.extend([equal, both, either, not, terms.ite(less, x, y), terms.bool_to_bits(less, 8)]);
    all
}

#[test]
fn both_readings_agree_where_nothing_overflows() {
    let mut terms = Terms::new();
    let all = readable(&mut terms);
    let mut integers = Integers::new();
    let mut compared = 0;
    for t in all {
        let read = integers.read(&terms, t).expect("it has a reading");
        for a in -5i128..=5 {
            for b in -5i128..=5 {
                let bits = |value: i128| Integers::bits(BYTE, value as u128);
                let value = |var: VarId| if var == X { a } else { b };
                let in_bits = terms.evaluate(t, &mut |var| Some(bits(value(var)))).expect("all is known");
                // What is divided by zero is anything.
                if matches!(terms.node(t), wherefore_formula::Node::Binary(BinaryOp::UDiv, ..)) && b == 0 {
                    continue;
                }
                let over = integers.terms.evaluate(read, &mut |var| Some(value(var) as u128)).expect("all is known");
                let text = terms.display(t, &|var| format!("v{}", var.0));
                assert_eq!(Integers::bits(terms.sort(t), over.raw()), in_bits.raw(), "{text} for {a}, {b}");
                compared += 1;
            }
        }
    }
    assert!(compared > 3000, "{compared}");
}

#[test]
fn nothing_wraps() {
    let mut terms = Terms::new();
    let x = terms.var(X, BYTE);
    let hundred = terms.bits(8, 100);
    let sum = terms.binary(BinaryOp::Add, x, hundred);
    let mut integers = Integers::new();
    let read = integers.read(&terms, sum).expect("a sum has a reading");
    assert_eq!(integers.terms.evaluate(read, &mut |_| Some(100)).map(|v| v.raw()), Some(200));
    assert_eq!(Integers::value(BYTE, 200) as i128, -56);
}

#[test]
fn what_looks_at_bits_has_no_reading() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var(X, BYTE), terms.var(Y, BYTE));
    let five = terms.bits(8, 5);
    let mut integers = Integers::new();
    for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Shl, BinaryOp::LShr, BinaryOp::AShr] {
        let t = terms.binary(op, x, y);
        assert_eq!(integers.read(&terms, t), None, "{op:?}");
        let sum = terms.binary(BinaryOp::Add, t, x);
        assert_eq!(integers.read(&terms, sum), None, "{op:?} inside");
    }
    let masked = terms.binary(BinaryOp::And, x, five);
    assert_eq!(integers.read(&terms, masked), None, "not the lowest bits");
}
