//! Comparisons of converted numbers say the same before and after they are rewritten.

use wherefore_formula::{FloatOp, Node, Sort, Terms, Value, VarId};

const COMPARISONS: [FloatOp; 4] = [FloatOp::Eq, FloatOp::Lt, FloatOp::Le, FloatOp::Unordered];

/// Doubles around what the small integers and floats can be.
fn constants() -> Vec<f64> {
    let mut all = vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e-60, -1e-60, 0.1, 0.3, 2.5, -2.5];
    for n in [-129, -128, -127, -1, 0, 1, 126, 127, 128, 254, 255, 256, 1 << 24, (1 << 24) + 1] {
        let n = f64::from(n);
        all.extend([n, n - 0.5, n.next_up()]);
    }
    all
}

/// Holds each comparison of `convert(x)` with each constant against what the machine says, for these patterns of x.
fn hold(convert: FloatOp, bits: u32, float: u32, patterns: &[u128]) {
    let mut terms = Terms::new();
    let x = terms.var(VarId(0), Sort::Bits(bits));
    let converted = terms.float(convert, &[x]);
    for c in constants() {
        let pattern = if float == 32 { u128::from((c as f32).to_bits()) } else { u128::from(c.to_bits()) };
        let constant = terms.bits(float, pattern);
        for op in COMPARISONS {
            for right in [true, false] {
                let pair = if right { [converted, constant] } else { [constant, converted] };
                let formula = terms.float(op, &pair);
                assert!(!terms.reachable(&[formula]).iter().any(|t| *terms.node(*t) == *terms.node(converted)));
                for value in patterns {
                    let number = terms.evaluate(converted, &mut |_| Some(*value)).expect("all is known");
                    let known = terms.bits(float, number.raw());
                    let pair = if right { [known, constant] } else { [constant, known] };
                    let expected = terms.float(op, &pair);
                    let said = terms.evaluate(formula, &mut |_| Some(*value));
                    let expected = Value::Bool(*terms.node(expected) == Node::True);
                    assert_eq!(said, Some(expected), "{convert:?} {op:?} {value:#x} with {c}, on the right: {right}");
                }
            }
        }
    }
}

#[test]
fn of_small_integers() {
    let all: Vec<u128> = (0..256).collect();
    for float in [32, 64] {
        hold(FloatOp::FromSigned { width: float }, 8, float, &all);
        hold(FloatOp::FromUnsigned { width: float }, 8, float, &all);
    }
}

#[test]
fn of_integers_that_are_rounded() {
    let near = |n: u128| (0..8).flat_map(move |d| [n.wrapping_add(d), n.wrapping_sub(d)]);
    let all: Vec<u128> =
        [0, 1 << 24, 1 << 25, 1 << 31, 256].into_iter().flat_map(near).map(|n| n & 0xffff_ffff).collect();
    hold(FloatOp::FromSigned { width: 32 }, 32, 32, &all);
    hold(FloatOp::FromUnsigned { width: 32 }, 32, 32, &all);
    hold(FloatOp::FromSigned { width: 64 }, 32, 64, &all);
}

#[test]
fn of_floats() {
    let numbers = constants().into_iter().flat_map(|c| {
        let c = c as f32;
        [c, c.next_up(), c.next_down()]
    });
    let all: Vec<u128> = numbers.map(|c| u128::from(c.to_bits())).collect();
    hold(FloatOp::Convert { width: 64 }, 32, 64, &all);
}

#[test]
fn two_that_were_converted_alike_are_compared_as_they_are() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var(VarId(0), Sort::Bits(32)), terms.var(VarId(1), Sort::Bits(32)));
    let exact = FloatOp::FromSigned { width: 64 };
    let (a, b) = (terms.float(exact, &[x]), terms.float(exact, &[y]));
    assert_eq!(terms.float(FloatOp::Lt, &[a, b]), terms.slt(x, y));
    let rounded = FloatOp::FromSigned { width: 32 };
    let (a, b) = (terms.float(rounded, &[x]), terms.float(rounded, &[y]));
    let less = terms.float(FloatOp::Lt, &[a, b]);
    assert_ne!(less, terms.slt(x, y), "different numbers may become one");
}
