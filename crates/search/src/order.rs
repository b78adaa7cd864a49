//! Contradictions between orders, found without a solver.
//!
//! `a < b`, `b < c` and `c <= a` cannot hold together, whatever the three are. A solver that knows bits only finds that
//! out for each bit anew, and programs that sort or compare ask it all the time.

use std::collections::HashMap;
use wherefore_formula::{Node, TermId, Terms};

/// Whether a goal contradicts conditions by the order of their terms alone. False means nothing.
pub(crate) fn contradict(terms: &Terms, conditions: &[TermId], goal: TermId) -> bool {
    let mut graphs = Graphs::default();
    for condition in conditions {
        graphs.add(terms, *condition, true);
    }
    // A goal such as `!(a <= b && b <= c)` has many parts, and one of them is enough.
    let (parts, positive) = match terms.node(goal) {
        Node::Or(items) => (items.to_vec(), true),
        Node::Not(inner) => match terms.node(*inner) {
            Node::And(items) => (items.to_vec(), false),
            _ => (vec![goal], true),
        },
        _ => (vec![goal], true),
    };
    parts.into_iter().all(|part| {
        let mut graphs = graphs.clone();
        graphs.add(terms, part, positive);
        graphs.contradict(terms)
    })
}

/// What is known of the orders of signed and of unsigned numbers.
#[derive(Clone, Default)]
struct Graphs {
    signed: Graph,
    unsigned: Graph,
}

impl Graphs {
    fn add(&mut self, terms: &Terms, condition: TermId, positive: bool) {
        match *terms.node(condition) {
            Node::And(ref items) if positive => items.iter().for_each(|item| self.add(terms, *item, true)),
            Node::Not(inner) => self.add(terms, inner, !positive),
            Node::Compare(op, a, b) => {
                let graph = if op.is_signed() { &mut self.signed } else { &mut self.unsigned };
                let (op, a, b) = if positive { (op, a, b) } else { (op.negated(), b, a) };
                graph.add(a, b, op.is_strict());
            }
            Node::Eq(a, b) if positive => {
                for graph in [&mut self.signed, &mut self.unsigned] {
                    graph.add(a, b, false);
                    graph.add(b, a, false);
                }
            }
            _ => {}
        }
    }

    fn contradict(mut self, terms: &Terms) -> bool {
        self.signed.add_constants(terms, true);
        self.unsigned.add_constants(terms, false);
        self.signed.has_strict_cycle() || self.unsigned.has_strict_cycle()
    }
}

/// An edge from a term to one that is not smaller; a strict one leads to a larger one.
#[derive(Clone, Default)]
struct Graph {
    numbers: HashMap<TermId, usize>,
    edges: Vec<(usize, usize, bool)>,
}

impl Graph {
    fn number(&mut self, term: TermId) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(term).or_insert(next)
    }

    fn add(&mut self, a: TermId, b: TermId, is_strict: bool) {
        let edge = (self.number(a), self.number(b), is_strict);
        self.edges.push(edge);
    }

    /// Constants are ordered among themselves, those of one width.
    fn add_constants(&mut self, terms: &Terms, signed: bool) {
        let mut constants: Vec<(u32, i128, usize)> = vec![];
        for (&term, &number) in &self.numbers {
            let Node::Const { width, value } = *terms.node(term) else { continue };
            let unused = 128 - width;
            let as_signed = ((value << unused) as i128) >> unused;
            // The widest constants keep their order only as far as they are small.
            let Some(as_unsigned) = i128::try_from(value).ok() else { continue };
            constants.push((width, if signed { as_signed } else { as_unsigned }, number));
        }
        constants.sort_unstable();
        for pair in constants.windows(2) {
            if pair[0].0 == pair[1].0 {
                self.edges.push((pair[0].2, pair[1].2, true));
            }
        }
    }

    /// Longest ways by strict edges, as long as they grow: they grow for ever on a cycle with a strict edge.
    fn has_strict_cycle(&self) -> bool {
        let count = self.numbers.len();
        let mut length = vec![0usize; count];
        for _ in 0..=count {
            let mut changed = false;
            for &(from, to, is_strict) in &self.edges {
                let through = length[from] + usize::from(is_strict);
                if through > length[to] {
                    length[to] = through;
                    changed = true;
                }
            }
            if !changed {
                return false;
            }
            // A way without a cycle has fewer strict edges than there are terms.
            if length.iter().any(|l| *l >= count) {
                return true;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wherefore_formula::{Sort, VarId};

    #[test]
    fn orders_must_not_run_in_circles() {
        let mut terms = Terms::new();
        let [a, b, c] = [0, 1, 2].map(|v| terms.var(VarId(v), Sort::Bits(32)));
        let (ab, bc, ca) = (terms.slt(a, b), terms.sle(b, c), terms.sle(c, a));
        assert!(contradict(&terms, &[ab, bc], ca));
        assert!(!contradict(&terms, &[ab], bc));
        let (ba, cb) = (terms.sle(b, a), terms.sle(c, b));
        assert!(!contradict(&terms, &[ba, cb], bc), "equal terms are fine");
        let ac = terms.ult(a, c);
        assert!(!contradict(&terms, &[ca], ac), "two orders");
        let all = terms.and([ab, bc, ca]);
        assert!(contradict(&terms, &[], all));
    }

    #[test]
    fn each_part_of_a_disjunction_must_fail() {
        let mut terms = Terms::new();
        let [a, b, c] = [0, 1, 2].map(|v| terms.var(VarId(v), Sort::Bits(32)));
        let (ab, bc, ac) = (terms.slt(a, b), terms.slt(b, c), terms.sle(a, c));
        let ordered = terms.and([ab, bc, ac]);
        let goal = terms.not(ordered);
        assert!(contradict(&terms, &[ab, bc], goal));
        assert!(!contradict(&terms, &[ab], goal));
    }

    #[test]
    fn constants_have_their_order() {
        let mut terms = Terms::new();
        let a = terms.var(VarId(0), Sort::Bits(8));
        let (low, high) = (terms.bits(8, 200), terms.bits(8, 100));
        let (below, above) = (terms.slt(a, low), terms.slt(high, a));
        assert!(contradict(&terms, &[below], above), "-56 is below 100");
        let (below, above) = (terms.ult(a, low), terms.ult(high, a));
        assert!(!contradict(&terms, &[below], above));
    }
}
