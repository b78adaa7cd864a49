//! A number that has gone past what would end its loop and moves on, away from it, in every round.
//!
//! So it is with floating point numbers alone: adding the same positive number never makes one smaller, and at last leaves
//! it as it is. A whole number comes back, or C does not say what happens.

use crate::model::{Action, Step, Trace};
use std::collections::BTreeSet;
use wherefore_formula::{FloatOp, Node, TermId, VarId};

/// The steps of a round and the values before it.
pub struct Round<'a> {
    pub trace: &'a Trace,
    pub steps: &'a [Step],
    pub values: &'a [Option<u128>],
    /// Whether the evaluation of a term may end the program for other values.
    pub traps: &'a dyn Fn(TermId) -> bool,
}

impl Round<'_> {
    /// Whether every further round goes the same way although this variable changes: it only moves on in one direction,
    /// and nothing is decided by it but what stays decided then.
    pub fn stays_so(&self, variable: VarId) -> bool {
        let Some(grows) = self.grows(variable) else { return false };
        let tainted = self.computed_from(variable);
        let reads = |t: TermId| self.trace.terms.variables(t);
        let untouched = |t: TermId| reads(t).is_disjoint(&tainted);
        self.steps.iter().all(|step| match &step.action {
            Action::If(branch) => {
                let branch = &self.trace.branches[branch.index()];
                let holds = |t: TermId| untouched(t) || self.holds_on(t, variable, grows);
                branch.addresses.iter().all(|t| untouched(*t))
                    && self.trace.terms.conjuncts(branch.condition).into_iter().all(holds)
            }
            Action::Assign { value, addresses, .. } => {
                addresses.iter().all(|t| untouched(*t)) && (untouched(*value) || !(self.traps)(*value))
            }
            Action::EndIf(_) => true,
        })
    }

    /// Whether the round makes a variable greater, or smaller, by something that does not change; nothing where it does
    /// something else with it.
    fn grows(&self, variable: VarId) -> Option<bool> {
        let assigned = |s: &Step| match s.action {
            Action::Assign { to, value, .. } if to == variable => Some(value),
            _ => None,
        };
        let mut values = self.steps.iter().filter_map(assigned);
        let (value, None) = (values.next()?, values.next()) else { return None };
        let Node::Float(op, sides) = self.trace.terms.node(value) else { return None };
        let is_it = |t: TermId| matches!(*self.trace.terms.node(t), Node::Var(v, _) if v == variable);
        let (by, sign) = match (op, &sides[..]) {
            (FloatOp::Add, [a, b]) if is_it(*a) => (*b, 1.0),
            (FloatOp::Add, [a, b]) if is_it(*b) => (*a, 1.0),
            (FloatOp::Sub, [a, b]) if is_it(*a) => (*b, -1.0),
            _ => return None,
        };
        let by = self.number(by).filter(|_| self.is_kept(by))? * sign;
        (by != 0.0).then_some(by > 0.0)
    }

    /// What the round assigns, computed from a variable; that one with it.
    fn computed_from(&self, variable: VarId) -> BTreeSet<VarId> {
        let mut tainted = BTreeSet::from([variable]);
        loop {
            let before = tainted.len();
            for step in self.steps {
                if let Action::Assign { to, value, .. } = step.action
                    && !self.trace.terms.variables(value).is_disjoint(&tainted)
                {
                    tainted.insert(to);
                }
            }
            if tainted.len() == before {
                return tainted;
            }
        }
    }

    /// Whether a condition that compares a variable with something that is kept holds before the round, and for whatever
    /// lies further on.
    fn holds_on(&self, condition: TermId, variable: VarId, grows: bool) -> bool {
        let (comparison, holds) = match self.trace.terms.node(condition) {
            Node::Not(inner) => (*inner, false),
            _ => (condition, true),
        };
        let Node::Float(op, sides) = self.trace.terms.node(comparison) else { return false };
        let [left, right] = sides[..] else { return false };
        let is_it = |t: TermId| matches!(*self.trace.terms.node(t), Node::Var(v, _) if v == variable);
        let (other, on_left) = match (is_it(left), is_it(right)) {
            (true, false) => (right, true),
            (false, true) => (left, false),
            _ => return false,
        };
        let it = if on_left { left } else { right };
        let Some((it, past)) = self.number(it).zip(self.number(other)).filter(|_| self.is_kept(other)) else {
            return false;
        };
        let is_past = if grows { it > past } else { it < past };
        match (op, holds) {
            (FloatOp::Eq, false) => is_past,
            // `it < other`, or its opposite.
            (FloatOp::Lt | FloatOp::Le, _) => is_past && (on_left == holds) != grows,
            _ => false,
        }
    }

    /// Whether the round assigns nothing of a term.
    fn is_kept(&self, term: TermId) -> bool {
        let assigned: BTreeSet<VarId> = self.steps.iter().filter_map(target).collect();
        self.trace.terms.variables(term).is_disjoint(&assigned)
    }

    /// The value of a term before the round, where it is a number.
    fn number(&self, term: TermId) -> Option<f64> {
        let value = self.trace.terms.evaluate(term, &mut |v| self.values[v.0 as usize])?.raw();
        let number = match self.trace.terms.width(term) {
            32 => f64::from(f32::from_bits(value as u32)),
            64 => f64::from_bits(value as u64),
            _ => return None,
        };
        (!number.is_nan()).then_some(number)
    }
}

/// The variable that a step assigns.
pub fn target(step: &Step) -> Option<VarId> {
    match step.action {
        Action::Assign { to, .. } => Some(to),
        _ => None,
    }
}
