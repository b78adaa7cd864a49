//! Logic gates as clauses (Tseitin's encoding), with constants propagated and equal gates shared.

use rustc_hash::FxHashMap;
use rustsat::types::{Lit, Var};

use super::logic::Logic;

/// A growing circuit. Its clauses are handed on by [`Gates::take_clauses`].
pub(super) struct Gates {
    next_variable: u32,
    /// Literals of all pending clauses, one after the other.
    literals: Vec<Lit>,
    /// Where each pending clause ends in `literals`.
    ends: Vec<usize>,
    and_gates: FxHashMap<(Lit, Lit), Lit>,
    xor_gates: FxHashMap<(Lit, Lit), Lit>,
    mux_gates: FxHashMap<(Lit, Lit, Lit), Lit>,
    majority_gates: FxHashMap<(Lit, Lit, Lit), Lit>,
}

/// The literal that is always true: the first variable is reserved for it.
pub(super) fn truth(value: bool) -> Lit {
    Lit::new(0, !value)
}

fn constant(lit: Lit) -> Option<bool> {
    (lit.var().idx32() == 0).then_some(lit.is_pos())
}

impl Gates {
    pub(super) fn new() -> Gates {
        let mut gates = Gates {
            next_variable: 1,
            literals: Vec::new(),
            ends: Vec::new(),
            and_gates: FxHashMap::default(),
            xor_gates: FxHashMap::default(),
            mux_gates: FxHashMap::default(),
            majority_gates: FxHashMap::default(),
        };
        gates.clause(&[truth(true)]);
        gates
    }

    /// An unconstrained bit.
    pub(super) fn fresh(&mut self) -> Lit {
        let lit = Lit::positive(self.next_variable);
        self.next_variable += 1;
        lit
    }

    /// The last variable in use.
    pub(super) fn last_variable(&self) -> Var {
        Var::new(self.next_variable - 1)
    }

    /// Requires one of these literals.
    pub(super) fn clause(&mut self, literals: &[Lit]) {
        self.literals.extend_from_slice(literals);
        self.ends.push(self.literals.len());
    }

    /// Hands the clauses made since the last call to `add`, until it fails.
    pub(super) fn take_clauses<E>(&mut self, mut add: impl FnMut(&[Lit]) -> Result<(), E>) -> Result<(), E> {
        let mut start = 0;
        for &end in &self.ends {
            add(&self.literals[start..end])?;
            start = end;
        }
        self.literals.clear();
        self.ends.clear();
        Ok(())
    }
}

impl Logic for Gates {
    type Bit = Lit;

    fn truth(&self, value: bool) -> Lit {
        truth(value)
    }

    fn known(&self, bit: Lit) -> Option<bool> {
        constant(bit)
    }

    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        match (constant(a), constant(b)) {
            (Some(false), _) | (_, Some(false)) => return truth(false),
            (Some(true), _) => return b,
            (_, Some(true)) => return a,
            _ if a == b => return a,
            _ if a == !b => return truth(false),
            _ => {}
        }
        let key = (a.min(b), a.max(b));
        if let Some(&out) = self.and_gates.get(&key) {
            return out;
        }
        let out = self.fresh();
        self.clause(&[!out, a]);
        self.clause(&[!out, b]);
        self.clause(&[out, !a, !b]);
        self.and_gates.insert(key, out);
        out
    }

    /// As one gate.
    fn and_all(&mut self, items: impl IntoIterator<Item = Lit>) -> Lit {
        let mut inputs: Vec<Lit> = Vec::new();
        for item in items {
            match constant(item) {
                Some(true) => {}
                Some(false) => return truth(false),
                None => inputs.push(item),
            }
        }
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.windows(2).any(|pair| pair[0] == !pair[1]) {
            return truth(false);
        }
        match *inputs {
            [] => truth(true),
            [a] => a,
            [a, b] => self.and(a, b),
            _ => {
                let out = self.fresh();
                for &input in &inputs {
                    self.clause(&[!out, input]);
                }
                for input in &mut inputs {
                    *input = !*input;
                }
                inputs.push(out);
                self.clause(&inputs);
                out
            }
        }
    }

    fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        match (constant(a), constant(b)) {
            (Some(known), _) => return if known { !b } else { b },
            (_, Some(known)) => return if known { !a } else { a },
            _ if a == b => return truth(false),
            _ if a == !b => return truth(true),
            _ => {}
        }
        // Signs move to the output, so that the four variants of a gate are one.
        let negated = a.is_neg() != b.is_neg();
        let (x, y) = (a.var().pos_lit(), b.var().pos_lit());
        let key = (x.min(y), x.max(y));
        let out = match self.xor_gates.get(&key) {
            Some(&out) => out,
            None => {
                let out = self.fresh();
                self.clause(&[!out, x, y]);
                self.clause(&[!out, !x, !y]);
                self.clause(&[out, !x, y]);
                self.clause(&[out, x, !y]);
                self.xor_gates.insert(key, out);
                out
            }
        };
        if negated { !out } else { out }
    }

    fn mux(&mut self, condition: Lit, a: Lit, b: Lit) -> Lit {
        if let Some(known) = constant(condition) {
            return if known { a } else { b };
        }
        if a == b {
            return a;
        }
        if a == !b {
            return self.xor(condition, b);
        }
        match (constant(a), constant(b)) {
            (Some(true), _) => return self.or(condition, b),
            (Some(false), _) => return self.and(!condition, b),
            (_, Some(true)) => return self.or(!condition, a),
            (_, Some(false)) => return self.and(condition, a),
            _ => {}
        }
        let key = if condition.is_neg() { (!condition, b, a) } else { (condition, a, b) };
        if let Some(&out) = self.mux_gates.get(&key) {
            return out;
        }
        let (condition, a, b) = key;
        let out = self.fresh();
        self.clause(&[!condition, !a, out]);
        self.clause(&[!condition, a, !out]);
        self.clause(&[condition, !b, out]);
        self.clause(&[condition, b, !out]);
        // Implied, but they propagate where the condition is still open.
        self.clause(&[!a, !b, out]);
        self.clause(&[a, b, !out]);
        self.mux_gates.insert(key, out);
        out
    }

    fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        // Sorting puts the constant first, and the two literals of a variable next to each other.
        match constant(a) {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => {}
        }
        if a == b || b == !c {
            return a;
        }
        if b == c || a == !b {
            return c;
        }
        if let Some(&out) = self.majority_gates.get(&(a, b, c)) {
            return out;
        }
        let out = self.fresh();
        for (x, y) in [(a, b), (a, c), (b, c)] {
            self.clause(&[!x, !y, out]);
            self.clause(&[x, y, !out]);
        }
        self.majority_gates.insert((a, b, c), out);
        out
    }
}
