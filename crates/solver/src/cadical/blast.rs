//! Bit-blasting: every bit of every term becomes a literal.
//!
//! Float comparisons are exact. Float arithmetic is open at first: its result is any bits, the same for the same term.
//! What is unsatisfiable then is so in truth; what is satisfiable must be looked at again (`refine`).

use rustc_hash::FxHashMap;
use rustsat::types::Lit;
use wherefore_formula::{BinaryOp, CompareOp, FloatOp, Node, Sort, TermId, Terms, VarId};

use super::arithmetic::Arithmetic;
use super::float;
use super::gates::{Gates, truth};
use super::logic::Logic;
use super::refine::Open;
use crate::answer::Reason;

/// The bits of one term, lowest first; a truth value is one bit.
pub(super) type Bits = Vec<Lit>;

/// How many bits a sort has.
fn width(sort: Sort) -> usize {
    match sort {
        Sort::Bool => 1,
        Sort::Bits(width) => width as usize,
        Sort::Int => unreachable!("no formula with integers is built"),
    }
}

/// What bits cannot show.
pub(super) fn integers() -> Reason {
    Reason::Unsupported("a mathematical integer".into())
}

/// Terms that are encoded before one looks whether anybody still wants them.
const BETWEEN_LOOKS: usize = 1024;

/// Terms as circuits. Each term is built once in the life of a blaster.
pub(super) struct Blaster {
    pub(super) gates: Gates,
    bits: FxHashMap<TermId, Bits>,
    variables: FxHashMap<VarId, Bits>,
    /// Quotient and remainder of two terms, as signed or unsigned: `/` and `%` often come together.
    divisions: FxHashMap<(TermId, TermId, bool), (Bits, Bits)>,
    /// Results of float operations: two terms of one operation on the same bits are one.
    floats: FxHashMap<(FloatOp, Vec<Bits>), Bits>,
    /// Float operations without a circuit.
    pub(super) open: Vec<Open>,
    /// Whether some float operation has one.
    pub(super) has_circuits: bool,
    /// Assumed where conversions that C does not define give what evaluation gives.
    pub(super) convention: Option<Lit>,
}

impl Blaster {
    pub(super) fn new() -> Blaster {
        Blaster {
            gates: Gates::new(),
            bits: FxHashMap::default(),
            variables: FxHashMap::default(),
            divisions: FxHashMap::default(),
            floats: FxHashMap::default(),
            open: Vec::new(),
            has_circuits: false,
            convention: None,
        }
    }

    /// The literal of a formula; an error if it was stopped in between or has integers, which does no harm.
    pub(super) fn formula(&mut self, terms: &Terms, t: TermId, stopped: &dyn Fn() -> bool) -> Result<Lit, Reason> {
        if !self.bits.contains_key(&t) {
            for (number, part) in terms.reachable(&[t]).into_iter().enumerate() {
                if number % BETWEEN_LOOKS == 0 && stopped() {
                    return Err(Reason::Interrupted);
                }
                if terms.sort(part) == Sort::Int {
                    return Err(integers());
                }
                if !self.bits.contains_key(&part) {
                    let bits = self.node(terms, part);
                    self.bits.insert(part, bits);
                }
            }
        }
        Ok(self.bits[&t][0])
    }

    /// Gives a variable constant bits; `false` if it has others already.
    pub(super) fn fix(&mut self, var: VarId, sort: Sort, value: u128) -> bool {
        if self.variables.contains_key(&var) {
            return false;
        }
        let bits = self.gates.number(width(sort), value);
        self.variables.insert(var, bits);
        true
    }

    /// The bits of a variable, if it occurs in what was built.
    pub(super) fn variable(&self, var: VarId) -> Option<&[Lit]> {
        self.variables.get(&var).map(Vec::as_slice)
    }

    /// Whether a variable has constant bits.
    pub(super) fn is_fixed(&self, var: VarId) -> bool {
        self.variable(var).is_some_and(|bits| bits.iter().any(|&bit| self.gates.known(bit).is_some()))
    }

    /// The lowest bit of a term, if it was built.
    pub(super) fn first_bit(&self, t: TermId) -> Option<Lit> {
        self.bits.get(&t).map(|bits| bits[0])
    }

    fn bit(&self, t: TermId) -> Lit {
        self.bits[&t][0]
    }

    fn pair(&self, a: TermId, b: TermId) -> (Bits, Bits) {
        (self.bits[&a].clone(), self.bits[&b].clone())
    }

    fn fresh(&mut self, width: usize) -> Bits {
        (0..width).map(|_| self.gates.fresh()).collect()
    }

    fn node(&mut self, terms: &Terms, t: TermId) -> Bits {
        match *terms.node(t) {
            Node::True => vec![truth(true)],
            Node::False => vec![truth(false)],
            Node::Const { width, value } => self.gates.number(width as usize, value),
            Node::Int(_) => unreachable!("no formula with integers is built"),
            Node::Var(var, sort) => {
                if let Some(known) = self.variables.get(&var) {
                    return known.clone();
                }
                let bits = self.fresh(width(sort));
                self.variables.insert(var, bits.clone());
                bits
            }
            Node::Not(a) => vec![!self.bit(a)],
            Node::And(ref items) => {
                let items: Bits = items.iter().map(|&item| self.bit(item)).collect();
                vec![self.gates.and_all(items)]
            }
            Node::Or(ref items) => {
                let items: Bits = items.iter().map(|&item| self.bit(item)).collect();
                vec![self.gates.or_all(items)]
            }
            Node::Ite(condition, a, b) => {
                let condition = self.bit(condition);
                let (a, b) = self.pair(a, b);
                self.gates.choose(condition, &a, &b)
            }
            Node::Eq(a, b) => {
                let (a, b) = self.pair(a, b);
                vec![self.gates.equal(&a, &b)]
            }
            Node::Binary(op, a, b) => self.binary(op, a, b),
            Node::Compare(op, a, b) => {
                let (a, b) = self.pair(a, b);
                vec![self.compare(op, a, b)]
            }
            Node::Concat(high, low) => {
                let (high, mut bits) = self.pair(high, low);
                bits.extend(high);
                bits
            }
            Node::Extract { term, low, width } => self.bits[&term][low as usize..(low + width) as usize].to_vec(),
            Node::ZeroExtend(a, width) => self.extend(a, width, truth(false)),
            Node::SignExtend(a, width) => {
                let bits = &self.bits[&a];
                self.extend(a, width, bits[bits.len() - 1])
            }
            Node::BitNot(a) => self.bits[&a].iter().map(|&bit| !bit).collect(),
            Node::Neg(a) => {
                let bits = self.bits[&a].clone();
                self.gates.negate(&bits)
            }
            Node::Float(op, ref args) => self.float(terms, t, op, args),
        }
    }

    fn extend(&self, a: TermId, width: u32, fill: Lit) -> Bits {
        let mut bits = self.bits[&a].clone();
        bits.resize(width as usize, fill);
        bits
    }

    fn compare(&mut self, op: CompareOp, mut a: Bits, mut b: Bits) -> Lit {
        if op.is_signed() {
            // Flipping the sign maps the signed order onto the unsigned one.
            for bits in [&mut a, &mut b] {
                let top = bits.len() - 1;
                bits[top] = !bits[top];
            }
        }
        self.gates.unsigned_order(&a, &b, !op.is_strict())
    }

    fn binary(&mut self, op: BinaryOp, x: TermId, y: TermId) -> Bits {
        let (a, b) = self.pair(x, y);
        match op {
            BinaryOp::Add => self.gates.add(&a, &b),
            BinaryOp::Sub => self.gates.subtract(&a, &b),
            BinaryOp::Mul => self.gates.multiply(&a, &b),
            BinaryOp::UDiv => self.divide(x, y, false).0,
            BinaryOp::URem => self.divide(x, y, false).1,
            BinaryOp::SDiv => self.divide(x, y, true).0,
            BinaryOp::SRem => self.divide(x, y, true).1,
            BinaryOp::Shl => self.gates.shift_left(&a, &b),
            BinaryOp::LShr => self.gates.shift_right(&a, &b, truth(false)),
            BinaryOp::AShr => {
                let sign = a[a.len() - 1];
                self.gates.shift_right(&a, &b, sign)
            }
            BinaryOp::And => self.bitwise(&a, &b, Gates::and),
            BinaryOp::Or => self.bitwise(&a, &b, Gates::or),
            BinaryOp::Xor => self.bitwise(&a, &b, Gates::xor),
        }
    }

    fn bitwise(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Bits {
        a.iter().zip(b).map(|(&a, &b)| gate(&mut self.gates, a, b)).collect()
    }

    fn divide(&mut self, x: TermId, y: TermId, is_signed: bool) -> (Bits, Bits) {
        if let Some(found) = self.divisions.get(&(x, y, is_signed)) {
            return found.clone();
        }
        let (a, b) = self.pair(x, y);
        let result = if is_signed {
            // On magnitudes; the signs are put back so that a zero divisor comes out as SMT-LIB wants it.
            let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
            let (a, b) = (self.gates.magnitude(&a), self.gates.magnitude(&b));
            let (quotient, remainder) = self.gates.divide(&a, &b);
            let differ = self.gates.xor(sign_a, sign_b);
            (self.gates.negate_if(differ, &quotient), self.gates.negate_if(sign_a, &remainder))
        } else {
            self.gates.divide(&a, &b)
        };
        self.divisions.insert((x, y, is_signed), result.clone());
        result
    }

    /// Comparisons are exact. What is computed of constants is a constant, and all else is open.
    fn float(&mut self, terms: &Terms, t: TermId, op: FloatOp, args: &[TermId]) -> Bits {
        if let &[a, b] = args
            && matches!(op, FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered)
        {
            let (a, b) = self.pair(a, b);
            return vec![float::compare(&mut self.gates, op, &a, &b)];
        }
        let mut args: Vec<Bits> = args.iter().map(|arg| self.bits[arg].clone()).collect();
        if matches!(op, FloatOp::Add | FloatOp::Mul) {
            args.sort_unstable();
        }
        if let Some(found) = self.floats.get(&(op, args.clone())) {
            return found.clone();
        }
        let width = terms.width(t) as usize;
        let mut open = Open { term: t, op, args: args.clone(), result: vec![] };
        let result = match open.computed(|bit| self.gates.known(bit)) {
            Some(value) => self.gates.number(width, value),
            None => {
                open.result = self.fresh(width);
                let result = open.result.clone();
                self.open.push(open);
                result
            }
        };
        self.floats.insert((op, args), result.clone());
        result
    }
}
