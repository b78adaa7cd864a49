//! Bit-blasting: every bit of every term becomes a literal.
//!
//! Float comparisons are exact. Float arithmetic is abstracted: its result is any bits, the same for the same term.
//! What is unsatisfiable then is so in truth; what is satisfiable must be looked at again.

use rustc_hash::FxHashMap;
use rustsat::types::Lit;
use wherefore_formula::{BinaryOp, CompareOp, FloatOp, Node, Sort, TermId, Terms, VarId};

use super::gates::{Gates, truth};

/// The bits of one term, lowest first; a truth value is one bit.
type Bits = Vec<Lit>;

/// Terms as circuits. Each term is built once in the life of a blaster.
pub(super) struct Blaster {
    pub(super) gates: Gates,
    bits: FxHashMap<TermId, Bits>,
    variables: FxHashMap<VarId, Bits>,
    /// Quotient and remainder of two terms, as signed or unsigned: `/` and `%` often come together.
    divisions: FxHashMap<(TermId, TermId, bool), (Bits, Bits)>,
    /// Whether a float operation was replaced by unconstrained bits.
    pub(super) has_abstraction: bool,
}

impl Blaster {
    pub(super) fn new() -> Blaster {
        Blaster {
            gates: Gates::new(),
            bits: FxHashMap::default(),
            variables: FxHashMap::default(),
            divisions: FxHashMap::default(),
            has_abstraction: false,
        }
    }

    /// The literal of a formula.
    pub(super) fn formula(&mut self, terms: &Terms, t: TermId) -> Lit {
        if !self.bits.contains_key(&t) {
            for part in terms.reachable(&[t]) {
                if !self.bits.contains_key(&part) {
                    let bits = self.node(terms, part);
                    self.bits.insert(part, bits);
                }
            }
        }
        self.bits[&t][0]
    }

    /// Gives a variable constant bits; `false` if it has others already.
    pub(super) fn fix(&mut self, var: VarId, sort: Sort, value: u128) -> bool {
        if self.variables.contains_key(&var) {
            return false;
        }
        let width = match sort {
            Sort::Bool => 1,
            Sort::Bits(width) => width,
        };
        self.variables.insert(var, (0..width).map(|i| truth(value >> i & 1 == 1)).collect());
        true
    }

    /// The bits of a variable, if it occurs in what was built.
    pub(super) fn variable(&self, var: VarId) -> Option<&[Lit]> {
        self.variables.get(&var).map(Vec::as_slice)
    }

    fn bit(&self, t: TermId) -> Lit {
        self.bits[&t][0]
    }

    fn pair(&self, a: TermId, b: TermId) -> (Bits, Bits) {
        (self.bits[&a].clone(), self.bits[&b].clone())
    }

    fn fresh(&mut self, sort: Sort) -> Bits {
        let width = match sort {
            Sort::Bool => 1,
            Sort::Bits(width) => width,
        };
        (0..width).map(|_| self.gates.fresh()).collect()
    }

    fn node(&mut self, terms: &Terms, t: TermId) -> Bits {
        match *terms.node(t) {
            Node::True => vec![truth(true)],
            Node::False => vec![truth(false)],
            Node::Const { width, value } => (0..width).map(|i| truth(value >> i & 1 == 1)).collect(),
            Node::Var(var, sort) => {
                if let Some(known) = self.variables.get(&var) {
                    return known.clone();
                }
                let bits = self.fresh(sort);
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
                self.choose(condition, &a, &b)
            }
            Node::Eq(a, b) => {
                let (a, b) = self.pair(a, b);
                vec![self.equal(&a, &b)]
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
                self.negate(&bits)
            }
            Node::Float(op, ref args) => self.float(op, args, terms.sort(t)),
        }
    }

    fn extend(&self, a: TermId, width: u32, fill: Lit) -> Bits {
        let mut bits = self.bits[&a].clone();
        bits.resize(width as usize, fill);
        bits
    }

    fn choose(&mut self, condition: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        a.iter().zip(b).map(|(&a, &b)| self.gates.mux(condition, a, b)).collect()
    }

    fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let same: Bits = a.iter().zip(b).map(|(&a, &b)| !self.gates.xor(a, b)).collect();
        self.gates.and_all(same)
    }

    /// Ripple-carry sum.
    fn add(&mut self, a: &[Lit], b: &[Lit], carry: Lit) -> Bits {
        let mut carry = carry;
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.gates.xor(a, b);
            sum.push(self.gates.xor(half, carry));
            carry = self.gates.majority(a, b, carry);
        }
        sum
    }

    fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let complement: Bits = b.iter().map(|&bit| !bit).collect();
        self.add(a, &complement, truth(true))
    }

    fn negate(&mut self, a: &[Lit]) -> Bits {
        let zero = vec![truth(false); a.len()];
        self.subtract(&zero, a)
    }

    /// Unsigned order by the borrow of `a - b`, from the lowest bit up; `equal` is the answer for equal operands.
    fn unsigned_order(&mut self, a: &[Lit], b: &[Lit], equal: bool) -> Lit {
        a.iter().zip(b).fold(truth(equal), |below, (&a, &b)| self.gates.majority(!a, b, below))
    }

    fn compare(&mut self, op: CompareOp, mut a: Bits, mut b: Bits) -> Lit {
        if op.is_signed() {
            // Flipping the sign maps the signed order onto the unsigned one.
            for bits in [&mut a, &mut b] {
                let top = bits.len() - 1;
                bits[top] = !bits[top];
            }
        }
        self.unsigned_order(&a, &b, !op.is_strict())
    }

    fn binary(&mut self, op: BinaryOp, x: TermId, y: TermId) -> Bits {
        let (a, b) = self.pair(x, y);
        match op {
            BinaryOp::Add => self.add(&a, &b, truth(false)),
            BinaryOp::Sub => self.subtract(&a, &b),
            BinaryOp::Mul => self.multiply(&a, &b),
            BinaryOp::UDiv => self.divide(x, y, false).0,
            BinaryOp::URem => self.divide(x, y, false).1,
            BinaryOp::SDiv => self.divide(x, y, true).0,
            BinaryOp::SRem => self.divide(x, y, true).1,
            BinaryOp::Shl => {
                // Shifting left is shifting right in a mirror.
                let mirrored: Bits = a.into_iter().rev().collect();
                let mut shifted = self.shift_right(&mirrored, &b, truth(false));
                shifted.reverse();
                shifted
            }
            BinaryOp::LShr => self.shift_right(&a, &b, truth(false)),
            BinaryOp::AShr => {
                let sign = a[a.len() - 1];
                self.shift_right(&a, &b, sign)
            }
            BinaryOp::And => self.bitwise(&a, &b, Gates::and),
            BinaryOp::Or => self.bitwise(&a, &b, Gates::or),
            BinaryOp::Xor => self.bitwise(&a, &b, Gates::xor),
        }
    }

    fn bitwise(&mut self, a: &[Lit], b: &[Lit], gate: fn(&mut Gates, Lit, Lit) -> Lit) -> Bits {
        a.iter().zip(b).map(|(&a, &b)| gate(&mut self.gates, a, b)).collect()
    }

    /// Shift and add. Zero bits of a constant cost nothing, so the operand with more of them selects the rows.
    fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let zeros = |bits: &[Lit]| bits.iter().filter(|&&bit| bit == truth(false)).count();
        let (a, b) = if zeros(a) > zeros(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut sum = vec![truth(false); width];
        for (position, &selected) in b.iter().enumerate() {
            if selected == truth(false) {
                continue;
            }
            let row: Bits = a[..width - position].iter().map(|&bit| self.gates.and(bit, selected)).collect();
            let high = self.add(&sum[position..], &row, truth(false));
            sum[position..].copy_from_slice(&high);
        }
        sum
    }

    fn divide(&mut self, x: TermId, y: TermId, is_signed: bool) -> (Bits, Bits) {
        if let Some(found) = self.divisions.get(&(x, y, is_signed)) {
            return found.clone();
        }
        let (a, b) = self.pair(x, y);
        let result = if is_signed {
            // On magnitudes; the signs are put back so that a zero divisor comes out as SMT-LIB wants it.
            let (sign_a, sign_b) = (a[a.len() - 1], b[b.len() - 1]);
            let (a, b) = (self.magnitude(&a), self.magnitude(&b));
            let (quotient, remainder) = self.divide_unsigned(&a, &b);
            let differ = self.gates.xor(sign_a, sign_b);
            (self.negate_if(differ, &quotient), self.negate_if(sign_a, &remainder))
        } else {
            self.divide_unsigned(&a, &b)
        };
        self.divisions.insert((x, y, is_signed), result.clone());
        result
    }

    fn negate_if(&mut self, condition: Lit, a: &[Lit]) -> Bits {
        let negated = self.negate(a);
        self.choose(condition, &negated, a)
    }

    fn magnitude(&mut self, a: &[Lit]) -> Bits {
        self.negate_if(a[a.len() - 1], a)
    }

    /// Restoring division. With a zero divisor every step subtracts nothing and sets its quotient bit: all ones, and
    /// the dividend remains, which is what SMT-LIB asks for.
    fn divide_unsigned(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let width = a.len();
        let mut divisor = b.to_vec();
        divisor.push(truth(false));
        let mut quotient = vec![truth(false); width];
        let mut remainder = vec![truth(false); width];
        for position in (0..width).rev() {
            // One bit more than the divisor has: the remainder is below the divisor, twice of it need not be.
            let mut shifted = Vec::with_capacity(width + 1);
            shifted.push(a[position]);
            shifted.extend_from_slice(&remainder);
            let fits = self.unsigned_order(&divisor, &shifted, true);
            let difference = self.subtract(&shifted, &divisor);
            quotient[position] = fits;
            remainder = self.choose(fits, &difference[..width], &shifted[..width]);
        }
        (quotient, remainder)
    }

    /// Barrel shifter: one row of choices per bit of the amount, then the fill if the amount is too large for them.
    fn shift_right(&mut self, a: &[Lit], amount: &[Lit], fill: Lit) -> Bits {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut stages = 0;
        while stages < amount.len() && 1usize << stages < width {
            let distance = 1usize << stages;
            let shifted: Bits = (0..width).map(|i| bits.get(i + distance).copied().unwrap_or(fill)).collect();
            bits = self.choose(amount[stages], &shifted, &bits);
            stages += 1;
        }
        let too_far = self.gates.or_all(amount[stages..].iter().copied());
        let filled = vec![fill; width];
        self.choose(too_far, &filled, &bits)
    }

    fn float(&mut self, op: FloatOp, args: &[TermId], sort: Sort) -> Bits {
        match op {
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered => {
                let (a, b) = self.pair(args[0], args[1]);
                vec![self.compare_floats(op, &a, &b)]
            }
            FloatOp::Add
            | FloatOp::Sub
            | FloatOp::Mul
            | FloatOp::Div
            | FloatOp::Rem
            | FloatOp::Neg
            | FloatOp::Abs
            | FloatOp::Sqrt
            | FloatOp::FromSigned { .. }
            | FloatOp::FromUnsigned { .. }
            | FloatOp::ToSigned { .. }
            | FloatOp::ToUnsigned { .. }
            | FloatOp::Convert { .. } => {
                self.has_abstraction = true;
                self.fresh(sort)
            }
        }
    }

    /// Floats of one sign are ordered as their bit patterns are; both zeros are equal.
    fn compare_floats(&mut self, op: FloatOp, a: &[Lit], b: &[Lit]) -> Lit {
        let (magnitude_a, sign_a) = (&a[..a.len() - 1], a[a.len() - 1]);
        let (magnitude_b, sign_b) = (&b[..b.len() - 1], b[b.len() - 1]);
        let nan_a = self.is_nan(magnitude_a);
        let nan_b = self.is_nan(magnitude_b);
        let unordered = self.gates.or(nan_a, nan_b);
        if op == FloatOp::Unordered {
            return unordered;
        }
        let some_bit = magnitude_a.iter().chain(magnitude_b).copied();
        let both_zero = !self.gates.or_all(some_bit);
        let identical = self.equal(a, b);
        let equal = self.gates.or(identical, both_zero);
        let less_if_positive = self.unsigned_order(magnitude_a, magnitude_b, false);
        let less_if_negative = self.unsigned_order(magnitude_b, magnitude_a, false);
        let less_if_same_sign = self.gates.mux(sign_a, less_if_negative, less_if_positive);
        let signs_differ = self.gates.xor(sign_a, sign_b);
        let less = self.gates.mux(signs_differ, sign_a, less_if_same_sign);
        let less = self.gates.and(less, !both_zero);
        let holds = match op {
            FloatOp::Eq => equal,
            FloatOp::Lt => less,
            _ => self.gates.or(less, equal),
        };
        self.gates.and(holds, !unordered)
    }

    /// The exponent is all ones and the fraction is not zero; given the pattern without its sign.
    fn is_nan(&mut self, magnitude: &[Lit]) -> Lit {
        let fraction_width = if magnitude.len() == 31 { 23 } else { 52 };
        let (fraction, exponent) = magnitude.split_at(fraction_width);
        let top = self.gates.and_all(exponent.iter().copied());
        let some = self.gates.or_all(fraction.iter().copied());
        self.gates.and(top, some)
    }
}
