//! The circuits against the machine's own arithmetic, 64 cases at a time.
//!
//! More cases of each operation: `WHEREFORE_FLOAT_CASES=2000000 cargo test -p wherefore-solver --lib float`.

mod cases;
mod words;

use wherefore_formula::FloatOp;

use super::{circuit, compare};
use crate::cadical::arithmetic::Arithmetic;
use crate::cadical::gates::Gates;
use crate::cadical::logic::Logic;
use cases::{Operands, SPECIAL_32, SPECIAL_64};
use words::Words;

/// How many cases of each operation are tried.
fn count() -> usize {
    std::env::var("WHEREFORE_FLOAT_CASES").map_or(200_000, |given| given.parse().expect("a number"))
}

/// What the machine computes. Every NaN is the same, as in terms.
fn native(op: FloatOp, width: u32, [a, b]: [u128; 2]) -> u128 {
    let pattern32 = |x: f32| if x.is_nan() { 0x7fc0_0000 } else { u128::from(x.to_bits()) };
    let pattern64 = |x: f64| if x.is_nan() { 0x7ff8_0000_0000_0000 } else { u128::from(x.to_bits()) };
    let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    let (u, v) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
    match (op, width) {
        (FloatOp::Add, 32) => pattern32(x + y),
        (FloatOp::Sub, 32) => pattern32(x - y),
        (FloatOp::Mul, 32) => pattern32(x * y),
        (FloatOp::Div, 32) => pattern32(x / y),
        (FloatOp::Sqrt, 32) => pattern32(x.sqrt()),
        (FloatOp::Add, 64) => pattern64(u + v),
        (FloatOp::Sub, 64) => pattern64(u - v),
        (FloatOp::Mul, 64) => pattern64(u * v),
        (FloatOp::Div, 64) => pattern64(u / v),
        (FloatOp::Sqrt, 64) => pattern64(u.sqrt()),
        (FloatOp::Eq, 32) => u128::from(x == y),
        (FloatOp::Lt, 32) => u128::from(x < y),
        (FloatOp::Le, 32) => u128::from(x <= y),
        (FloatOp::Unordered, 32) => u128::from(x.is_nan() || y.is_nan()),
        (FloatOp::Eq, 64) => u128::from(u == v),
        (FloatOp::Lt, 64) => u128::from(u < v),
        (FloatOp::Le, 64) => u128::from(u <= v),
        (FloatOp::Unordered, 64) => u128::from(u.is_nan() || v.is_nan()),
        (FloatOp::Convert { width: 32 }, 32) => pattern32(x),
        (FloatOp::Convert { width: 64 }, 32) => pattern64(f64::from(x)),
        (FloatOp::Convert { width: 32 }, 64) => pattern32(u as f32),
        (FloatOp::Convert { width: 64 }, 64) => pattern64(u),
        (FloatOp::FromSigned { width: 32 }, bits) => pattern32((((a << (128 - bits)) as i128) >> (128 - bits)) as f32),
        (FloatOp::FromSigned { width: 64 }, bits) => pattern64((((a << (128 - bits)) as i128) >> (128 - bits)) as f64),
        (FloatOp::FromUnsigned { width: 32 }, _) => pattern32(a as f32),
        (FloatOp::FromUnsigned { width: 64 }, _) => pattern64(a as f64),
        (FloatOp::ToSigned { width: bits }, from) => {
            let value = if from == 32 { f64::from(x) } else { u };
            // Casts saturate: what comes back out of range, or from beyond all integers, is not defined.
            let whole = value as i128;
            let fits = whole << (128 - bits) >> (128 - bits) == whole
                && whole as f64 == value.trunc()
                && value < 2f64.powi(127);
            if fits { whole as u128 & (u128::MAX >> (128 - bits)) } else { UNDEFINED >> (128 - bits) }
        }
        (FloatOp::ToUnsigned { width: bits }, from) => {
            let value = if from == 32 { f64::from(x) } else { u };
            let whole = value as u128;
            let fits = whole <= u128::MAX >> (128 - bits) && whole as f64 == value.trunc() && value < 2f64.powi(128);
            if fits { whole } else { UNDEFINED >> (128 - bits) }
        }
        _ => unreachable!("{op:?} of {width} bits"),
    }
}

/// Stands for what is not defined; the top bits are taken.
const UNDEFINED: u128 = 0xa5c3_96e1_7b2d_4f80_1357_9bdf_0246_8ace;

/// The circuit of an operation, whatever it is made of.
fn computed<L: Logic>(logic: &mut L, op: FloatOp, args: &[Vec<L::Bit>]) -> Vec<L::Bit> {
    let undefined = match op {
        FloatOp::ToSigned { width } | FloatOp::ToUnsigned { width } => {
            logic.number(width as usize, UNDEFINED >> (128 - width))
        }
        _ => vec![],
    };
    match op {
        FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered => vec![compare(logic, op, &args[0], &args[1])],
        _ => circuit(logic, op, args, &undefined).expect("it has a circuit"),
    }
}

/// Tries an operation on operands of a width. How many cases it were.
fn try_cases(op: FloatOp, width: u32, cases: impl Iterator<Item = [u128; 2]>) -> usize {
    let cases: Vec<[u128; 2]> = cases.collect();
    for chunk in cases.chunks(64) {
        let args: Vec<Vec<u64>> =
            (0..op.arity()).map(|position| words::columns(width, chunk.iter().map(|case| case[position]))).collect();
        let results = computed(&mut Words, op, &args);
        for (index, &case) in chunk.iter().enumerate() {
            let (found, expected) = (words::row(&results, index), native(op, width, case));
            assert_eq!(found, expected, "{op:?} of {case:x?} is {expected:x}, not {found:x}");
        }
    }
    cases.len()
}

/// All special operands with each other, and many others.
fn try_floats(op: FloatOp, count: usize) -> usize {
    let mut tried = 0;
    for width in [32, 64] {
        let specials: Vec<u128> = match width {
            32 => SPECIAL_32.iter().map(|&bits| u128::from(bits)).collect(),
            _ => SPECIAL_64.iter().map(|&bits| u128::from(bits)).collect(),
        };
        let pairs = specials.iter().flat_map(|&a| specials.iter().map(move |&b| [a, b]));
        tried += try_cases(op, width, pairs);
        let mut operands = Operands::new(width, specials);
        // In parts, so that millions need no memory.
        for start in (0..count).step_by(1 << 16) {
            tried += try_cases(op, width, (start..count.min(start + (1 << 16))).map(|_| operands.next()));
        }
    }
    tried
}

fn report(what: &str, tried: usize) {
    println!("{what}: {tried} cases");
}

#[test]
fn sums_are_those_of_the_machine() {
    report("sum", try_floats(FloatOp::Add, count()));
    report("difference", try_floats(FloatOp::Sub, count()));
}

#[test]
fn products_are_those_of_the_machine() {
    report("product", try_floats(FloatOp::Mul, count()));
}

#[test]
fn quotients_are_those_of_the_machine() {
    report("quotient", try_floats(FloatOp::Div, count()));
}

#[test]
fn roots_are_those_of_the_machine() {
    report("root", try_floats(FloatOp::Sqrt, count()));
}

#[test]
fn comparisons_are_those_of_the_machine() {
    for op in [FloatOp::Eq, FloatOp::Lt, FloatOp::Le, FloatOp::Unordered] {
        report(&format!("{op:?}"), try_floats(op, count()));
    }
}

#[test]
fn conversions_between_formats_are_those_of_the_machine() {
    for width in [32, 64] {
        report(&format!("to {width} bits"), try_floats(FloatOp::Convert { width }, count()));
    }
}

/// Widths of integers: those of C, the smallest, some odd ones.
const INTEGERS: [u32; 10] = [1, 2, 7, 8, 16, 25, 32, 33, 64, 128];

#[test]
fn integers_are_cut_off_as_the_machine_does() {
    let mut tried = 0;
    for width in INTEGERS {
        tried += try_floats(FloatOp::ToSigned { width }, count() / 5);
        tried += try_floats(FloatOp::ToUnsigned { width }, count() / 5);
    }
    report("to integers", tried);
}

#[test]
fn integers_are_rounded_as_the_machine_does() {
    let mut tried = 0;
    for bits in INTEGERS {
        for width in [32, 64] {
            let mut operands = cases::integers(bits);
            for op in [FloatOp::FromSigned { width }, FloatOp::FromUnsigned { width }] {
                tried += try_cases(op, bits, (0..count() / 5).map(|_| [operands(), 0]));
            }
        }
    }
    report("from integers", tried);
}

/// Constants go through the gates as constants, and come out as what words compute.
#[test]
fn gates_fold_constants() {
    for (width, specials) in [(32, SPECIAL_32.map(u128::from).to_vec()), (64, SPECIAL_64.map(u128::from).to_vec())] {
        let mut operands = Operands::new(width, specials);
        for _ in 0..60 {
            let case = operands.next();
            for op in [
                FloatOp::Add,
                FloatOp::Sub,
                FloatOp::Mul,
                FloatOp::Div,
                FloatOp::Sqrt,
                FloatOp::Convert { width: 96 - width },
                FloatOp::ToSigned { width: 32 },
                FloatOp::FromSigned { width },
            ] {
                let mut gates = Gates::new();
                let args: Vec<_> = case[..op.arity()].iter().map(|&arg| gates.number(width as usize, arg)).collect();
                let before = gates.last_variable();
                let result = computed(&mut gates, op, &args);
                let bits: Option<Vec<bool>> = result.iter().map(|&bit| gates.known(bit)).collect();
                let found = bits.expect("only constants").iter().rev().fold(0, |n, &bit| n << 1 | u128::from(bit));
                assert_eq!(found, native(op, width, case), "{op:?} of {case:x?}");
                assert_eq!(gates.last_variable(), before, "no gate is needed");
            }
        }
    }
}

/// Each operation of doubles, with the gates that it may have.
#[test]
fn circuits_are_small() {
    for (op, most) in [
        (FloatOp::Add, 1_700),
        (FloatOp::Mul, 13_000),
        (FloatOp::Div, 14_000),
        (FloatOp::Sqrt, 7_000),
        (FloatOp::Convert { width: 32 }, 400),
        (FloatOp::ToSigned { width: 64 }, 800),
        (FloatOp::FromSigned { width: 64 }, 800),
    ] {
        let mut gates = Gates::new();
        let args: Vec<Vec<_>> = (0..op.arity()).map(|_| (0..64).map(|_| gates.fresh()).collect()).collect();
        let before = gates.last_variable().idx32();
        computed(&mut gates, op, &args);
        let made = gates.last_variable().idx32() - before;
        assert!(made <= most, "{op:?} has {made} gates");
    }
}
