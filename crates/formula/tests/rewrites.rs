//! Every rewrite of the constructors must hold bit for bit.
//!
//! Random terms are built by the constructors and, next to them, computed by a mirror of the operators that is written
//! here a second time and more simply. Both must give the same value, whether the term is evaluated or its variables
//! are replaced by constants.

use std::collections::HashMap;

use proptest::prelude::*;
use wherefore_formula::{BinaryOp, CompareOp, Sort, TermId, Terms, Value, VarId};

/// How many assignments each term is computed for.
const ASSIGNMENTS: usize = 8;

/// A small generator of pseudo-random numbers (splitmix64), so that one proptest seed names a whole term.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// A value of this width, with the corners more likely than the rest.
    fn value(&mut self, width: u32) -> u128 {
        let all = u128::MAX >> (128 - width);
        let value = match self.below(8) {
            0 => 0,
            1 => 1,
            2 => all,
            3 => all >> 1,
            4 => (all >> 1) + 1,
            5 => u128::from(self.below(4)),
            _ => u128::from(self.next()) << 64 | u128::from(self.next()),
        };
        value & all
    }
}

/// A term with what it should evaluate to under each assignment.
#[derive(Clone)]
struct Mirrored {
    term: TermId,
    values: [u128; ASSIGNMENTS],
}

struct Builder {
    random: Random,
    terms: Terms,
    width: u32,
    /// The variables with their values; numbers below 4 are bits of `width`, the others truth values.
    variables: Vec<Mirrored>,
    /// Earlier terms, used again now and then: many rewrites need a shared operand.
    pool: Vec<Mirrored>,
}

fn all(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

fn negative(width: u32, x: u128) -> bool {
    x >> (width - 1) & 1 == 1
}

fn opposite(width: u32, x: u128) -> u128 {
    (!x).wrapping_add(1) & all(width)
}

fn magnitude(width: u32, x: u128) -> u128 {
    if negative(width, x) { opposite(width, x) } else { x }
}

/// Schoolbook division, bit by bit; a zero divisor gives all ones and the dividend, as in SMT-LIB.
fn divide(width: u32, a: u128, b: u128) -> (u128, u128) {
    if b == 0 {
        return (all(width), a);
    }
    let (mut quotient, mut remainder) = (0u128, 0u128);
    for bit in (0..width).rev() {
        let carry = remainder >> 127 & 1 == 1;
        remainder = remainder << 1 | (a >> bit & 1);
        if carry || remainder >= b {
            remainder = remainder.wrapping_sub(b);
            quotient |= 1 << bit;
        }
    }
    (quotient, remainder)
}

fn mirror_binary(op: BinaryOp, width: u32, a: u128, b: u128) -> u128 {
    let sign_of = |negate: bool, x: u128| if negate { opposite(width, x) } else { x };
    let shifted = |step: &dyn Fn(u128) -> u128| (0..b.min(128)).fold(a, |x, _| step(x));
    let result = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_add(opposite(width, b)),
        BinaryOp::Mul => (0..width).filter(|&bit| b >> bit & 1 == 1).fold(0u128, |sum, bit| sum.wrapping_add(a << bit)),
        BinaryOp::UDiv => divide(width, a, b).0,
        BinaryOp::URem => divide(width, a, b).1,
        BinaryOp::SDiv => {
            let (quotient, _) = divide(width, magnitude(width, a), magnitude(width, b));
            sign_of(negative(width, a) != negative(width, b), quotient)
        }
        BinaryOp::SRem => {
            let (_, remainder) = divide(width, magnitude(width, a), magnitude(width, b));
            sign_of(negative(width, a), remainder)
        }
        BinaryOp::Shl => shifted(&|x| x << 1 & all(width)),
        BinaryOp::LShr => shifted(&|x| x >> 1),
        BinaryOp::AShr => shifted(&|x| x >> 1 | (x & 1 << (width - 1))),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a & !b | !a & b,
    };
    result & all(width)
}

fn mirror_compare(op: CompareOp, width: u32, a: u128, b: u128) -> bool {
    // Flipping the sign maps the signed order onto the unsigned one.
    let flip = |x: u128| x ^ 1 << (width - 1);
    match op {
        CompareOp::Ult => a < b,
        CompareOp::Ule => a <= b,
        CompareOp::Slt => flip(a) < flip(b),
        CompareOp::Sle => flip(a) <= flip(b),
    }
}

fn mirror_extend(from: u32, to: u32, x: u128) -> u128 {
    if negative(from, x) { x | all(to) & !all(from) } else { x }
}

impl Builder {
    fn new(seed: u64, width: u32) -> Builder {
        let mut random = Random(seed);
        let mut terms = Terms::new();
        let mut variables = Vec::new();
        for number in 0..6 {
            let sort = if number < 4 { Sort::Bits(width) } else { Sort::Bool };
            let values = std::array::from_fn(|_| match sort {
                Sort::Bits(width) => random.value(width),
                Sort::Bool | Sort::Int => u128::from(random.below(2)),
            });
            let term = terms.var(VarId(number), sort);
            variables.push(Mirrored { term, values });
        }
        Builder { random, terms, width, variables, pool: Vec::new() }
    }

    fn unary(
        &mut self,
        a: &Mirrored,
        build: impl Fn(&mut Terms, TermId) -> TermId,
        mirror: impl Fn(u128) -> u128,
    ) -> Mirrored {
        Mirrored { term: build(&mut self.terms, a.term), values: a.values.map(mirror) }
    }

    fn binary(
        &mut self,
        a: &Mirrored,
        b: &Mirrored,
        build: impl Fn(&mut Terms, TermId, TermId) -> TermId,
        mirror: impl Fn(u128, u128) -> u128,
    ) -> Mirrored {
        Mirrored {
            term: build(&mut self.terms, a.term, b.term),
            values: std::array::from_fn(|i| mirror(a.values[i], b.values[i])),
        }
    }

    fn choose(&mut self, c: &Mirrored, a: &Mirrored, b: &Mirrored) -> Mirrored {
        Mirrored {
            term: self.terms.ite(c.term, a.term, b.term),
            values: std::array::from_fn(|i| if c.values[i] != 0 { a.values[i] } else { b.values[i] }),
        }
    }

    fn pooled(&mut self, sort: Sort) -> Option<Mirrored> {
        if self.pool.is_empty() || self.random.below(3) != 0 {
            return None;
        }
        let index = self.random.below(self.pool.len() as u64) as usize;
        let found = self.pool[index].clone();
        (self.terms.sort(found.term) == sort).then_some(found)
    }

    fn constant(&mut self, width: u32) -> Mirrored {
        let value = self.random.value(width);
        Mirrored { term: self.terms.bits(width, value), values: [value; ASSIGNMENTS] }
    }

    fn bits(&mut self, width: u32, depth: u32) -> Mirrored {
        let made = self.make_bits(width, depth);
        self.pool.push(made.clone());
        made
    }

    fn make_bits(&mut self, width: u32, depth: u32) -> Mirrored {
        if let Some(old) = self.pooled(Sort::Bits(width)) {
            return old;
        }
        if depth == 0 {
            if width == self.width && self.random.below(4) != 0 {
                let index = self.random.below(4) as usize;
                return self.variables[index].clone();
            }
            if width < self.width && self.random.below(4) != 0 {
                let whole = self.bits(self.width, 0);
                let low = self.random.below(u64::from(self.width - width + 1)) as u32;
                return self.unary(&whole, |terms, t| terms.extract(t, low, width), |x| x >> low & all(width));
            }
            return self.constant(width);
        }
        let depth = depth - 1;
        match self.random.below(12) {
            0..=4 => {
                let op = BinaryOp::ALL[self.random.below(13) as usize];
                let (a, b) = (self.bits(width, depth), self.bits(width, depth));
                self.binary(&a, &b, |terms, a, b| terms.binary(op, a, b), |a, b| mirror_binary(op, width, a, b))
            }
            5 => {
                let a = self.bits(width, depth);
                self.unary(&a, Terms::bit_not, |x| !x & all(width))
            }
            6 => {
                let a = self.bits(width, depth);
                self.unary(&a, Terms::neg, |x| opposite(width, x))
            }
            7 => {
                let c = self.bool(depth);
                let (a, b) = (self.bits(width, depth), self.bits(width, depth));
                self.choose(&c, &a, &b)
            }
            8 => {
                let c = self.bool(depth);
                self.unary(&c, |terms, t| terms.bool_to_bits(t, width), |x| x)
            }
            9 if width > 1 => {
                let low = 1 + self.random.below(u64::from(width - 1)) as u32;
                let (a, b) = (self.bits(width - low, depth), self.bits(low, depth));
                self.binary(&a, &b, Terms::concat, |a, b| a << low | b)
            }
            10 => {
                let inner = 1 + self.random.below(u64::from(width)) as u32;
                let a = self.bits(inner, depth);
                if self.random.below(2) == 0 {
                    self.unary(&a, |terms, t| terms.zero_extend(t, width), |x| x)
                } else {
                    self.unary(&a, |terms, t| terms.sign_extend(t, width), |x| mirror_extend(inner, width, x))
                }
            }
            _ => {
                let outer = (width + self.random.below(5) as u32).min(128);
                let low = self.random.below(u64::from(outer - width + 1)) as u32;
                let a = self.bits(outer, depth);
                self.unary(&a, |terms, t| terms.extract(t, low, width), |x| x >> low & all(width))
            }
        }
    }

    fn bool(&mut self, depth: u32) -> Mirrored {
        let made = self.make_bool(depth);
        self.pool.push(made.clone());
        made
    }

    fn make_bool(&mut self, depth: u32) -> Mirrored {
        if let Some(old) = self.pooled(Sort::Bool) {
            return old;
        }
        if depth == 0 {
            let index = 4 + self.random.below(2) as usize;
            return self.variables[index].clone();
        }
        let depth = depth - 1;
        // Mostly the base width, sometimes wider so that extended operands meet.
        let width = match self.random.below(3) {
            0 => (self.width + self.random.below(3) as u32).min(128),
            _ => self.width,
        };
        match self.random.below(11) {
            0 => {
                let a = self.bool(depth);
                self.unary(&a, Terms::not, |x| 1 - x)
            }
            kind @ (1 | 2) => {
                let items: Vec<Mirrored> = (0..self.random.below(4)).map(|_| self.bool(depth)).collect();
                let ids: Vec<TermId> = items.iter().map(|item| item.term).collect();
                let column = |i: usize| items.iter().map(move |item| item.values[i]);
                if kind == 1 {
                    Mirrored {
                        term: self.terms.and(ids),
                        values: std::array::from_fn(|i| column(i).min().unwrap_or(1)),
                    }
                } else {
                    Mirrored { term: self.terms.or(ids), values: std::array::from_fn(|i| column(i).max().unwrap_or(0)) }
                }
            }
            3 => {
                let (a, b) = (self.bool(depth), self.bool(depth));
                self.binary(&a, &b, Terms::implies, |a, b| u128::from(a <= b))
            }
            4 => {
                let (a, b) = (self.bool(depth), self.bool(depth));
                self.binary(&a, &b, Terms::eq, |a, b| u128::from(a == b))
            }
            5 => {
                let (c, a, b) = (self.bool(depth), self.bool(depth), self.bool(depth));
                self.choose(&c, &a, &b)
            }
            6 => {
                let a = self.bits(width, depth);
                self.unary(&a, Terms::bits_to_bool, |x| u128::from(x != 0))
            }
            7 | 8 => {
                let (a, b) = (self.bits(width, depth), self.bits(width, depth));
                self.binary(&a, &b, Terms::eq, |a, b| u128::from(a == b))
            }
            _ => {
                let op = CompareOp::ALL[self.random.below(4) as usize];
                let (a, b) = (self.bits(width, depth), self.bits(width, depth));
                self.binary(
                    &a,
                    &b,
                    |terms, a, b| terms.compare(op, a, b),
                    |a, b| u128::from(mirror_compare(op, width, a, b)),
                )
            }
        }
    }

    /// Compares a built term with its mirror, once by evaluation and once by substitution.
    fn check(&mut self, made: &Mirrored) {
        let sort = self.terms.sort(made.term);
        for (i, &expected) in made.values.iter().enumerate() {
            let variables = &self.variables;
            let mut value_of = |var: VarId| Some(variables[var.0 as usize].values[i]);
            let value = self.terms.evaluate(made.term, &mut value_of);
            let shown = || self.terms.display(made.term, &|var| format!("v{}", var.0));
            assert_eq!(value, Some(Value::new(sort, expected)), "{}", shown());

            let map: HashMap<VarId, TermId> = (0..6)
                .map(|number| {
                    let var = VarId(number);
                    let value = self.variables[number as usize].values[i];
                    let constant = match self.terms.variable_sort(var) {
                        Some(Sort::Bits(width)) => self.terms.bits(width, value),
                        _ => self.terms.truth(value != 0),
                    };
                    (var, constant)
                })
                .collect();
            let folded = self.terms.substitute(made.term, &map);
            let constant = match sort {
                Sort::Bool => self.terms.truth_value(folded).map(u128::from),
                Sort::Bits(_) | Sort::Int => self.terms.constant(folded),
            };
            assert_eq!(constant, Some(expected), "everything folds");
        }
    }
}

const WIDTHS: [u32; 10] = [1, 2, 3, 4, 5, 8, 16, 32, 64, 128];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn constructors_keep_the_meaning(seed: u64, width in prop::sample::select(&WIDTHS[..]), depth in 1u32..6) {
        let mut builder = Builder::new(seed, width);
        let formula = builder.bool(depth);
        builder.check(&formula);
        let bits = builder.bits(width, depth);
        builder.check(&bits);
    }
}

/// The mathematical result of an operation fits the width; widths up to 5.
fn fits(op: BinaryOp, is_signed: bool, width: u32, a: u128, b: u128) -> bool {
    let number = |x: u128| {
        if is_signed && negative(width, x) { x as i128 - (1 << width) } else { x as i128 }
    };
    let (x, y) = (number(a), number(b));
    let range = if is_signed { -(1i128 << (width - 1))..1 << (width - 1) } else { 0..1 << width };
    match op {
        BinaryOp::Add => range.contains(&(x + y)),
        BinaryOp::Sub => range.contains(&(x - y)),
        BinaryOp::Mul => range.contains(&(x * y)),
        BinaryOp::Shl => b < u128::from(width) && range.contains(&(x << b)),
        BinaryOp::SDiv | BinaryOp::SRem => !is_signed || y == 0 || range.contains(&(x / y)),
        _ => true,
    }
}

/// Each operand is a constant or a variable: the constructors treat the four cases differently.
#[test]
fn overflow_predicates_are_exact_at_small_widths() {
    for width in 1..=5 {
        for op in BinaryOp::ALL {
            for is_signed in [false, true] {
                let mut terms = Terms::new();
                let x = terms.var(VarId(0), Sort::Bits(width));
                let y = terms.var(VarId(1), Sort::Bits(width));
                let general = terms.no_overflow(op, is_signed, x, y);
                for a in 0..=all(width) {
                    let left = terms.bits(width, a);
                    let left_known = terms.no_overflow(op, is_signed, left, y);
                    for b in 0..=all(width) {
                        let right = terms.bits(width, b);
                        let right_known = terms.no_overflow(op, is_signed, x, right);
                        let both_known = terms.no_overflow(op, is_signed, left, right);
                        let expected = fits(op, is_signed, width, a, b);
                        for predicate in [general, left_known, right_known, both_known] {
                            let value = terms.evaluate(predicate, &mut |var| Some([a, b][var.0 as usize]));
                            assert_eq!(
                                value,
                                Some(Value::Bool(expected)),
                                "{op:?} signed={is_signed} width={width} {a} {b}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Where the width cannot be doubled, multiplication is checked by dividing back; the corners are what may go wrong.
#[test]
fn wide_products_overflow_where_the_machine_says() {
    let corners = [
        0,
        1,
        2,
        3,
        u128::MAX,
        u128::MAX - 1,
        i128::MAX as u128,
        i128::MIN as u128,
        1 << 63,
        1 << 64,
        (1 << 64) - 1,
        u128::MAX / 3,
        (i128::MIN / 3) as u128,
    ];
    let mut terms = Terms::new();
    let x = terms.var(VarId(0), Sort::Bits(128));
    let y = terms.var(VarId(1), Sort::Bits(128));
    let unsigned = terms.no_overflow(BinaryOp::Mul, false, x, y);
    let signed = terms.no_overflow(BinaryOp::Mul, true, x, y);
    for a in corners {
        let left = terms.bits(128, a);
        let unsigned_left = terms.no_overflow(BinaryOp::Mul, false, left, y);
        let signed_left = terms.no_overflow(BinaryOp::Mul, true, left, y);
        for b in corners {
            let mut value_of = |var: VarId| Some([a, b][var.0 as usize]);
            let fits_unsigned = Some(Value::Bool(a.checked_mul(b).is_some()));
            let fits_signed = Some(Value::Bool((a as i128).checked_mul(b as i128).is_some()));
            assert_eq!(terms.evaluate(unsigned, &mut value_of), fits_unsigned);
            assert_eq!(terms.evaluate(unsigned_left, &mut value_of), fits_unsigned);
            assert_eq!(terms.evaluate(signed, &mut value_of), fits_signed, "{a} {b}");
            assert_eq!(terms.evaluate(signed_left, &mut value_of), fits_signed);
        }
    }
}
