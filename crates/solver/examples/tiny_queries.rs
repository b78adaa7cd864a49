//! How long the small questions of a localizer take: `cargo run --release -p wherefore-solver --example tiny_queries`.

use std::time::{Duration, Instant};

use wherefore_formula::{BinaryOp, Sort, TermId, Terms, VarId};
use wherefore_solver::{Backend, Limits, Validity, valid};

/// One question: premises, conclusion, what the answer must be.
type Query = (Vec<TermId>, TermId, Validity);

/// Questions about 32-bit variables as an error-invariant walk asks them, made different by `seed`.
fn queries(terms: &mut Terms, seed: u32) -> [(&'static str, Query); 6] {
    let x = terms.var(VarId(3 * seed), Sort::Bits(32));
    let y = terms.var(VarId(3 * seed + 1), Sort::Bits(32));
    let z = terms.var(VarId(3 * seed + 2), Sort::Bits(32));
    let zero = terms.bits(32, 0);
    let step = terms.bits(32, 42 + u128::from(seed % 1000));
    let before_step = terms.bits(32, 41 + u128::from(seed % 1000));

    // x <= 41, y = x - 42 without overflow: y < 0.
    let fits = terms.no_overflow(BinaryOp::Sub, true, x, step);
    let difference = terms.binary(BinaryOp::Sub, x, step);
    let assigned = terms.eq(y, difference);
    let small = terms.sle(x, before_step);
    let negative = terms.slt(y, zero);
    let bound = (vec![fits, assigned, small], negative, Validity::Valid);

    // The same without the bound on overflow: wraps.
    let wraps = (vec![assigned, small], negative, Validity::Invalid);

    // y = x + z, x > 0, z > 0 without overflow: y > x.
    let sum = terms.binary(BinaryOp::Add, x, z);
    let summed = terms.eq(y, sum);
    let no_wrap = terms.no_overflow(BinaryOp::Add, true, x, z);
    let x_positive = terms.sgt(x, zero);
    let z_positive = terms.sgt(z, zero);
    let grows = terms.sgt(y, x);
    let addition = (vec![summed, no_wrap, x_positive, z_positive], grows, Validity::Valid);

    // x < y, y < z: x < z.
    let first = terms.slt(x, y);
    let second = terms.slt(y, z);
    let order = terms.slt(x, z);
    let transitive = (vec![first, second], order, Validity::Valid);

    // y = 3 x, x even: y even.
    let three = terms.bits(32, 3);
    let tripled = terms.binary(BinaryOp::Mul, x, three);
    let multiplied = terms.eq(y, tripled);
    let odd = terms.bits(32, 1);
    let x_even = terms.binary(BinaryOp::And, x, odd);
    let x_even = terms.eq(x_even, zero);
    let y_even = terms.binary(BinaryOp::And, y, odd);
    let y_even = terms.eq(y_even, zero);
    let product = (vec![multiplied, x_even], y_even, Validity::Valid);

    // x == 5: x < 7; needs no solver once the constant is put in.
    let (five, seven) = (terms.bits(32, 5), terms.bits(32, 7));
    let is_five = terms.eq(x, five);
    let below_seven = terms.slt(x, seven);
    let constant = (vec![is_five], below_seven, Validity::Valid);

    [
        ("difference below zero (valid)", bound),
        ("difference may wrap (invalid)", wraps),
        ("sum grows (valid)", addition),
        ("order is transitive (valid)", transitive),
        ("even product (valid)", product),
        ("constant in bound (valid)", constant),
    ]
}

fn main() {
    for (backend, rounds) in [(Backend::Cadical, 5000), (Backend::Z3, 100)] {
        let mut terms = Terms::new();
        let mut totals = [("", Duration::ZERO); 6];
        for seed in 0..rounds {
            let questions = queries(&mut terms, seed);
            for (total, (name, (premises, conclusion, expected))) in totals.iter_mut().zip(questions) {
                let start = Instant::now();
                let answer = valid(backend, &mut terms, &premises, conclusion, Limits::NONE);
                total.0 = name;
                total.1 += start.elapsed();
                assert_eq!(answer, expected, "{name}");
            }
        }
        for (name, total) in totals {
            let microseconds = total.as_secs_f64() * 1e6 / f64::from(rounds);
            println!("{backend:?}: {name}: {microseconds:.1} us");
        }
    }
}
