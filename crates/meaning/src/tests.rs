//! Each operation against arithmetic on numbers: all values of small widths, the corners of wide ones; the operands as
//! constants (folded) and as variables (evaluated).

use super::*;
use wherefore_formula::{Sort, Value, VarId};
use wherefore_program::RegId;

const X: Operand = Operand::Register(RegId(0));
const Y: Operand = Operand::Register(RegId(1));
const Z: Operand = Operand::Register(RegId(2));

/// What an operation gives and whether C grants it, with operands of given widths and values. Asked for each choice of
/// operands to be variables; the answers must agree.
fn compute(operation: &Operation, bits: u32, operands: &[(u32, u128)]) -> (u128, Option<bool>) {
    let mut answers = vec![];
    for open in 0..1 << operands.len() {
        let mut terms = Terms::new();
        let (term, granted) = term(&mut terms, operation, bits, |terms, operand| {
            let Operand::Register(RegId(index)) = operand else { panic!("only registers are given") };
            let (width, value) = operands[*index as usize];
            match open >> index & 1 {
                0 => terms.bits(width, value),
                _ => terms.var(VarId(*index), Sort::Bits(width)),
            }
        })
        .expect("the operation has a meaning");
        let evaluate = |t| terms.evaluate(t, &mut |v| Some(operands[v.0 as usize].1)).expect("all is known");
        let Value::Bits { width, value } = evaluate(term) else { panic!("an operation gives bits") };
        assert_eq!(width, bits, "{operation:?}");
        answers.push((value, granted.map(|g| evaluate(g).as_bool().expect("a formula"))));
    }
    assert!(answers.iter().all(|a| *a == answers[0]), "{operation:?} of {operands:?}: {answers:?}");
    if let Some(number) = number(operation, bits, operands) {
        assert_eq!(number, answers[0], "{operation:?} of the numbers {operands:?}");
    }
    answers[0]
}

fn binary_operation(op: BinaryOp, no_signed_wrap: bool) -> Operation {
    Operation::Binary { op, left: X, right: Y, no_signed_wrap, no_unsigned_wrap: false }
}

/// The bits as a signed number.
fn signed(bits: u32, value: u128) -> i128 {
    (value << (128 - bits)) as i128 >> (128 - bits)
}

/// A number as bits.
fn cut(bits: u32, value: i128) -> u128 {
    value as u128 & (u128::MAX >> (128 - bits))
}

/// Pairs of operands: every pair up to four bits, the corners of 32 and 64 bits.
fn pairs() -> Vec<(u32, u128, u128)> {
    let mut pairs = vec![];
    for bits in 1..=4 {
        for a in 0..1 << bits {
            pairs.extend((0..1 << bits).map(|b| (bits, a, b)));
        }
    }
    for bits in [32, 64] {
        let (smallest, largest) = (1u128 << (bits - 1), (1u128 << (bits - 1)) - 1);
        let corners = [0, 1, 2, 7, u128::from(bits) - 1, u128::from(bits), largest - 1, largest, smallest];
        let corners: Vec<u128> =
            corners.into_iter().chain([smallest + 1, cut(bits, -7), cut(bits, -2), cut(bits, -1)]).collect();
        for a in &corners {
            pairs.extend(corners.iter().map(|b| (bits, *a, *b)));
        }
    }
    pairs
}

fn fits(bits: u32, value: i128) -> bool {
    signed(bits, cut(bits, value)) == value
}

/// Holds an operator against its value and its condition as functions of the operands, given as bits and as signed
/// numbers. The value is compared where the condition holds.
#[track_caller]
fn agrees(
    op: BinaryOp,
    no_signed_wrap: bool,
    value: impl Fn(u32, (u128, u128), (i128, i128)) -> i128,
    defined: impl Fn(u32, (u128, u128), (i128, i128)) -> bool,
) {
    let mut compared = 0;
    for (bits, a, b) in pairs() {
        let (raw, number) = ((a, b), (signed(bits, a), signed(bits, b)));
        let (result, granted) = compute(&binary_operation(op, no_signed_wrap), bits, &[(bits, a), (bits, b)]);
        let expected = defined(bits, raw, number);
        assert_eq!(granted.unwrap_or(true), expected, "whether {op:?} of {number:?} in {bits} bits is defined");
        if expected {
            assert_eq!(result, cut(bits, value(bits, raw, number)), "{op:?} of {number:?} in {bits} bits");
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} pairs were compared");
}

#[test]
fn unsigned_sums_differences_and_products_wrap_and_are_always_defined() {
    agrees(BinaryOp::Add, false, |_, _, (a, b)| a + b, |_, _, _| true);
    agrees(BinaryOp::Sub, false, |_, _, (a, b)| a - b, |_, _, _| true);
    agrees(BinaryOp::Mul, false, |_, _, (a, b)| a * b, |_, _, _| true);
}

#[test]
fn signed_sums_differences_and_products_are_granted_exactly_where_they_fit() {
    agrees(BinaryOp::Add, true, |_, _, (a, b)| a + b, |w, _, (a, b)| fits(w, a + b));
    agrees(BinaryOp::Sub, true, |_, _, (a, b)| a - b, |w, _, (a, b)| fits(w, a - b));
    agrees(BinaryOp::Mul, true, |_, _, (a, b)| a * b, |w, _, (a, b)| fits(w, a * b));
}

#[test]
fn unsigned_quotients_need_a_divisor_only() {
    agrees(BinaryOp::UDiv, false, |_, (a, b), _| (a / b) as i128, |_, (_, b), _| b != 0);
    agrees(BinaryOp::URem, false, |_, (a, b), _| (a % b) as i128, |_, (_, b), _| b != 0);
}

#[test]
fn signed_quotients_round_towards_zero_and_need_to_fit() {
    agrees(BinaryOp::SDiv, false, |_, _, (a, b)| a / b, |w, _, (a, b)| b != 0 && fits(w, a / b));
    agrees(BinaryOp::SRem, false, |_, _, (a, b)| a % b, |w, _, (a, b)| b != 0 && fits(w, a / b));
}

#[test]
fn shifts_are_granted_below_the_width() {
    let below = |w: u32, (_, b): (u128, u128), _: (i128, i128)| b < u128::from(w);
    agrees(BinaryOp::Shl, false, |_, (a, b), _| (a << b) as i128, below);
    agrees(BinaryOp::LShr, false, |_, (a, b), _| (a >> b) as i128, below);
    agrees(BinaryOp::AShr, false, |_, (_, b), (a, _)| a >> b, below);
}

#[test]
fn bitwise_operators_are_always_defined() {
    agrees(BinaryOp::And, true, |_, (a, b), _| (a & b) as i128, |_, _, _| true);
    agrees(BinaryOp::Or, true, |_, (a, b), _| (a | b) as i128, |_, _, _| true);
    agrees(BinaryOp::Xor, true, |_, (a, b), _| (a ^ b) as i128, |_, _, _| true);
}

#[test]
fn comparisons_read_bits_as_signed_or_unsigned() {
    type Holds = fn((u128, u128), (i128, i128)) -> bool;
    let table: [(CompareOp, Holds); 10] = [
        (CompareOp::Eq, |(a, b), _| a == b),
        (CompareOp::Ne, |(a, b), _| a != b),
        (CompareOp::ULt, |(a, b), _| a < b),
        (CompareOp::ULe, |(a, b), _| a <= b),
        (CompareOp::UGt, |(a, b), _| a > b),
        (CompareOp::UGe, |(a, b), _| a >= b),
        (CompareOp::SLt, |_, (a, b)| a < b),
        (CompareOp::SLe, |_, (a, b)| a <= b),
        (CompareOp::SGt, |_, (a, b)| a > b),
        (CompareOp::SGe, |_, (a, b)| a >= b),
    ];
    for (op, holds) in table {
        for (bits, a, b) in pairs() {
            let numbers = (signed(bits, a), signed(bits, b));
            let expected = (u128::from(holds((a, b), numbers)), None);
            assert_eq!(
                compute(&Operation::Compare(op, X, Y), 1, &[(bits, a), (bits, b)]),
                expected,
                "{op:?} {numbers:?}"
            );
        }
    }
}

#[test]
fn casts_drop_bits_or_fill_with_zeros_or_the_sign() {
    for value in 0..1 << 6 {
        let cast = |op, bits| compute(&Operation::Cast(op, X), bits, &[(6, value)]);
        assert_eq!(cast(CastOp::Truncate, 3), (value % 8, None));
        assert_eq!(cast(CastOp::ZeroExtend, 9), (value, None));
        assert_eq!(cast(CastOp::SignExtend, 9), (cut(9, signed(6, value)), None));
    }
    let smallest = 0x8000_0000;
    assert_eq!(compute(&Operation::Cast(CastOp::SignExtend, X), 64, &[(32, smallest)]).0, 0xffff_ffff_8000_0000);
    assert_eq!(compute(&Operation::Cast(CastOp::ZeroExtend, X), 64, &[(32, smallest)]).0, 0x8000_0000);
    assert_eq!(compute(&Operation::Cast(CastOp::Truncate, X), 8, &[(64, 0x1234)]).0, 0x34);
}

#[test]
fn a_copy_is_its_operand_and_a_selection_one_of_two() {
    for value in 0..8 {
        assert_eq!(compute(&Operation::Copy(X), 3, &[(3, value)]), (value, None));
        for other in 0..8 {
            for condition in 0..2 {
                let expected = if condition == 1 { value } else { other };
                let select = Operation::Select(X, Y, Z);
                assert_eq!(compute(&select, 3, &[(1, condition), (3, value), (3, other)]), (expected, None));
            }
        }
    }
}

#[test]
fn parts_are_taken_out_of_and_put_into_their_place() {
    for whole in 0..1 << 6 {
        for low in 0..6 {
            for size in 1..=6 - low {
                let ones = (1u128 << size) - 1;
                let taken = compute(&Operation::Extract { value: X, low }, size, &[(6, whole)]);
                assert_eq!(taken, (whole >> low & ones, None), "bits {low}.. of {whole:#b}");
                for part in [0, 1, ones / 2, ones] {
                    let put = compute(&Operation::Insert { value: X, part: Y, low }, 6, &[(6, whole), (size, part)]);
                    assert_eq!(put, (whole & !(ones << low) | part << low, None), "{part:#b} at {low} of {whole:#b}");
                }
            }
        }
    }
}

const DOUBLES: [f64; 16] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    1.5,
    -2.5,
    3.0,
    1e300,
    -1e300,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

fn double(operation: &Operation, operands: &[f64]) -> f64 {
    let operands: Vec<(u32, u128)> = operands.iter().map(|x| (64, u128::from(x.to_bits()))).collect();
    f64::from_bits(compute(operation, 64, &operands).0 as u64)
}

fn same_double(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn floating_point_arithmetic_is_that_of_the_machine() {
    type Apply = fn(f64, f64) -> f64;
    let table: [(FloatBinaryOp, Apply); 5] = [
        (FloatBinaryOp::Add, |a, b| a + b),
        (FloatBinaryOp::Sub, |a, b| a - b),
        (FloatBinaryOp::Mul, |a, b| a * b),
        (FloatBinaryOp::Div, |a, b| a / b),
        (FloatBinaryOp::Rem, |a, b| a % b),
    ];
    for (op, apply) in table {
        for a in DOUBLES {
            for b in DOUBLES {
                let found = double(&Operation::FloatBinary(op, X, Y), &[a, b]);
                assert!(same_double(found, apply(a, b)), "{op:?} of {a} and {b}: {found}, not {}", apply(a, b));
            }
        }
    }
    for a in DOUBLES {
        assert!(same_double(double(&Operation::FloatNegate(X), &[a]), -a), "-({a})");
        assert!(same_double(double(&Operation::FloatAbs(X), &[a]), a.abs()), "fabs({a})");
        assert!(same_double(double(&Operation::FloatSqrt(X), &[a]), a.sqrt()), "sqrt({a})");
    }
}

#[test]
fn floating_point_comparisons_differ_by_what_is_not_a_number() {
    use FloatCompareOp::*;
    type Holds = fn(f64, f64) -> bool;
    // Ordered ones as C has them; unordered ones are also true of what is not a number.
    let table: [(FloatCompareOp, FloatCompareOp, Holds); 6] = [
        (OEq, UEq, |a, b| a == b),
        (ONe, UNe, |a, b| a.partial_cmp(&b).is_some_and(|order| order.is_ne())),
        (OLt, ULt, |a, b| a < b),
        (OLe, ULe, |a, b| a <= b),
        (OGt, UGt, |a, b| a > b),
        (OGe, UGe, |a, b| a >= b),
    ];
    for a in DOUBLES {
        for b in DOUBLES {
            let holds = |op| {
                let operands = [(64, u128::from(a.to_bits())), (64, u128::from(b.to_bits()))];
                compute(&Operation::FloatCompare(op, X, Y), 1, &operands).0 == 1
            };
            let unordered = a.is_nan() || b.is_nan();
            for (ordered_op, unordered_op, expected) in table {
                assert_eq!(holds(ordered_op), expected(a, b), "{ordered_op:?} of {a} and {b}");
                assert_eq!(holds(unordered_op), unordered || expected(a, b), "{unordered_op:?} of {a} and {b}");
            }
            assert_eq!((holds(Ordered), holds(Unordered)), (!unordered, unordered), "{a} and {b}");
        }
    }
}

#[test]
fn conversions_between_integers_and_floating_point_round_as_c_does() {
    let cast = |op, bits, from| compute(&Operation::FloatCast(op, X), bits, &[from]).0;
    for value in [0i32, 1, -1, 7, -7, i32::MAX, i32::MIN, 16_777_217] {
        let bits = (32, u128::from(value as u32));
        assert_eq!(cast(FloatCastOp::FromSigned, 64, bits), u128::from(f64::from(value).to_bits()), "{value}");
        assert_eq!(cast(FloatCastOp::FromSigned, 32, bits), u128::from((value as f32).to_bits()), "{value}");
        assert_eq!(cast(FloatCastOp::FromUnsigned, 64, bits), u128::from(f64::from(value as u32).to_bits()), "{value}");
    }
    for value in [0.0f64, -0.0, 0.9, -0.9, 1.5, -1.5, 2.5, 1e9, -1e9] {
        let bits = (64, u128::from(value.to_bits()));
        assert_eq!(cast(FloatCastOp::ToSigned, 32, bits), u128::from(value as i32 as u32), "{value}");
        if value > -1.0 {
            assert_eq!(cast(FloatCastOp::ToUnsigned, 32, bits), u128::from(value as u32), "{value}");
        }
        assert_eq!(cast(FloatCastOp::Resize, 32, bits), u128::from((value as f32).to_bits()), "{value}");
    }
    let tenth = (32, u128::from(0.1f32.to_bits()));
    assert_eq!(cast(FloatCastOp::Resize, 64, tenth), u128::from(f64::from(0.1f32).to_bits()));
}

#[test]
fn what_joins_paths_or_is_not_modelled_has_no_meaning() {
    let mut terms = Terms::new();
    let opaque = Operation::Opaque { what: "long double arithmetic".into(), operands: vec![X] };
    for operation in [Operation::Phi(vec![]), opaque] {
        assert!(term(&mut terms, &operation, 32, |_, _| unreachable!("nothing is looked at")).is_none());
    }
}

#[test]
fn what_a_run_computes_most_needs_no_term() {
    for op in [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Shl, BinaryOp::URem, BinaryOp::And] {
        assert!(number(&binary_operation(op, true), 32, &[(32, 7), (32, 3)]).is_some(), "{op:?}");
    }
    assert_eq!(number(&binary_operation(BinaryOp::Shl, false), 32, &[(32, 7), (32, 32)]), None);
    assert_eq!(number(&binary_operation(BinaryOp::Add, false), 128, &[(128, 7), (128, 3)]), None);
}
