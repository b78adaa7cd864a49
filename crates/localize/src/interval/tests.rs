use super::*;
use wherefore_formula::VarId;

#[test]
fn bounds_imply_sums_only_where_nothing_wraps() {
    let mut terms = Terms::new();
    let x = terms.var(VarId(0), Sort::Bits(8));
    let (five, hundred, three) = (terms.bits(8, 5), terms.bits(8, 100), terms.bits(8, 3));
    let small = terms.sle(x, five);
    let positive = terms.sge(x, three);
    let sum = terms.binary(BinaryOp::Add, x, hundred);
    let limit = terms.bits(8, 105);
    let bounded = terms.sle(sum, limit);
    assert!(implies(&terms, &[small, positive], bounded), "3 <= x <= 5 implies x + 100 <= 105");
    let low_only = terms.sge(sum, hundred);
    assert!(!implies(&terms, &[positive], low_only), "x + 100 wraps for large x");
}

const WIDTH: u32 = 4;

fn number(value: u128, width: u32) -> i128 {
    linear::number(value, width, true)
}

/// Every operation over `x` and `y`, at four bits, narrowed or widened where it says so.
fn operations(terms: &mut Terms) -> Vec<(&'static str, TermId)> {
    let (x, y) = (terms.var(VarId(0), Sort::Bits(WIDTH)), terms.var(VarId(1), Sort::Bits(WIDTH)));
    let zero = terms.bits(WIDTH, 0);
    let negative = terms.slt(x, zero);
    let minus = terms.neg(x);
    let (wide, unsigned) = (terms.sign_extend(x, 8), terms.zero_extend(x, 8));
    let sum = terms.binary(BinaryOp::Add, wide, unsigned);
    vec![
        ("x + y", terms.binary(BinaryOp::Add, x, y)),
        ("x - y", terms.binary(BinaryOp::Sub, x, y)),
        ("x * y", terms.binary(BinaryOp::Mul, x, y)),
        ("x & y", terms.binary(BinaryOp::And, x, y)),
        ("x | y", terms.binary(BinaryOp::Or, x, y)),
        ("x / y", terms.binary(BinaryOp::SDiv, x, y)),
        ("-x", minus),
        ("x < 0 ? -x : y", terms.ite(negative, minus, y)),
        ("(signed wide) x", wide),
        ("(unsigned wide) x", unsigned),
        ("(narrow) wide x", terms.extract(sum, 0, WIDTH)),
        ("(narrow) x", terms.extract(x, 0, 2)),
        ("high part of x", terms.extract(x, 2, 2)),
    ]
}

#[test]
fn what_ranges_say_of_any_operation_holds_for_all_values() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var(VarId(0), Sort::Bits(WIDTH)), terms.var(VarId(1), Sort::Bits(WIDTH)));
    for (name, operation) in operations(&mut terms) {
        let width = terms.width(operation);
        let mut proved = 0;
        for (low, high, most) in
            [(-2i128, 1i128, 2i128), (0, 3, 1), (2, 3, 1), (-8, -6, 7), (-3, -1, 0), (0, 7, 7), (0, 1, 1)]
        {
            let bits = |terms: &mut Terms, value: i128| terms.bits(WIDTH, value as u128);
            let (l, h, m, zero) =
                (bits(&mut terms, low), bits(&mut terms, high), bits(&mut terms, most), bits(&mut terms, 0));
            let premises = [terms.sge(x, l), terms.sle(x, h), terms.sge(y, zero), terms.sle(y, m)];
            let mut reached = vec![];
            for a in low..=high {
                for b in 0..=most {
                    let value = |v: VarId| Some(if v.0 == 0 { a } else { b } as u128 & 15);
                    let result = terms.evaluate(operation, &mut |v| value(v)).expect("both are given").raw();
                    reached.push((result, number(result, width)));
                }
            }
            for bound in -(1i128 << (width - 1))..1i128 << (width - 1) {
                let constant = terms.bits(width, bound as u128);
                let unsigned = terms.constant(constant).expect("a constant");
                let claims = [
                    (terms.sle(operation, constant), reached.iter().all(|r| r.1 <= bound)),
                    (terms.sge(operation, constant), reached.iter().all(|r| r.1 >= bound)),
                    (terms.ult(operation, constant), reached.iter().all(|r| r.0 < unsigned)),
                    (terms.uge(operation, constant), reached.iter().all(|r| r.0 >= unsigned)),
                    (terms.eq(operation, constant), reached.iter().all(|r| r.1 == bound)),
                    (terms.ne(operation, constant), reached.iter().all(|r| r.1 != bound)),
                ];
                for (claim, holds) in claims {
                    if terms.truth_value(claim).is_none() && implies(&terms, &premises, claim) {
                        proved += 1;
                        assert!(holds, "{low} <= x <= {high}, 0 <= y <= {most} do not bound {name} by {bound}");
                    }
                }
            }
        }
        assert!(proved > 0 || name == "x | y" || name == "x / y" || name == "high part of x", "nothing about {name}");
    }
}

#[test]
fn unsigned_bounds_below_half_are_signed_ones() {
    let mut terms = Terms::new();
    let x = terms.var(VarId(0), Sort::Bits(8));
    let (five, nine, minus_one) = (terms.bits(8, 5), terms.bits(8, 9), terms.bits(8, 255));
    let small = terms.ule(x, five);
    let (less, more) = (terms.slt(x, nine), terms.sgt(x, minus_one));
    assert!(implies(&terms, &[small], less) && implies(&terms, &[small], more));
    let large = terms.bits(8, 200);
    let weak = terms.ule(x, large);
    assert!(!implies(&terms, &[weak], more), "x may be 200, which is negative");
}

#[test]
fn conjunctions_need_all_and_disjunctions_one() {
    let mut terms = Terms::new();
    let (x, y) = (terms.var(VarId(0), Sort::Bits(8)), terms.var(VarId(1), Sort::Bits(8)));
    let (one, two) = (terms.bits(8, 1), terms.bits(8, 2));
    let small = terms.sle(x, one);
    let (smaller, other) = (terms.sle(x, two), terms.sle(y, two));
    let (both, either) = (terms.and2(smaller, other), terms.or2(smaller, other));
    assert!(!implies(&terms, &[small], both) && implies(&terms, &[small], either));
}
