//! Constructors of the propositional layer: negation, conjunction, disjunction, choice.

use crate::node::{Node, TermId};
use crate::sort::Sort;
use crate::terms::{FALSE, TRUE, Terms};

/// Conjunction and disjunction are duals; one simplifier serves both.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Junction {
    And,
    Or,
}

impl Junction {
    fn dual(self) -> Junction {
        match self {
            Junction::And => Junction::Or,
            Junction::Or => Junction::And,
        }
    }

    /// The item that changes nothing.
    fn neutral(self) -> TermId {
        match self {
            Junction::And => TRUE,
            Junction::Or => FALSE,
        }
    }

    /// The item that decides everything.
    fn absorbing(self) -> TermId {
        self.dual().neutral()
    }

    fn items(self, node: &Node) -> Option<&[TermId]> {
        match (self, node) {
            (Junction::And, Node::And(items)) | (Junction::Or, Node::Or(items)) => Some(items),
            _ => None,
        }
    }
}

impl Terms {
    /// `!a`. The negation of a comparison is the converse comparison.
    #[track_caller]
    pub fn not(&mut self, a: TermId) -> TermId {
        self.expect_bool(a);
        match *self.node(a) {
            Node::True => FALSE,
            Node::False => TRUE,
            Node::Not(inner) => inner,
            Node::Compare(op, left, right) => self.intern(Node::Compare(op.negated(), right, left), Sort::Bool),
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    /// The conjunction of any number of formulas; true if there are none.
    #[track_caller]
    pub fn and(&mut self, items: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(Junction::And, items)
    }

    /// The disjunction of any number of formulas; false if there are none.
    #[track_caller]
    pub fn or(&mut self, items: impl IntoIterator<Item = TermId>) -> TermId {
        self.junction(Junction::Or, items)
    }

    /// `a && b`.
    #[track_caller]
    pub fn and2(&mut self, a: TermId, b: TermId) -> TermId {
        self.and([a, b])
    }

    /// `a || b`.
    #[track_caller]
    pub fn or2(&mut self, a: TermId, b: TermId) -> TermId {
        self.or([a, b])
    }

    /// `!a || b`.
    #[track_caller]
    pub fn implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.not(a);
        self.or2(not_a, b)
    }

    /// `a` where `condition` holds, else `b`; of any sort.
    #[track_caller]
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        self.expect_bool(condition);
        let sort = self.sort(a);
        assert_eq!(sort, self.sort(b), "branches have different sorts");
        let (condition, mut a, mut b) = match *self.node(condition) {
            Node::True => return a,
            Node::False => return b,
            Node::Not(inner) => (inner, b, a),
            _ => (condition, a, b),
        };
        // A nested choice on the same condition is already made.
        if let Node::Ite(inner, then, _) = *self.node(a)
            && inner == condition
        {
            a = then;
        }
        if let Node::Ite(inner, _, otherwise) = *self.node(b)
            && inner == condition
        {
            b = otherwise;
        }
        if a == b {
            return a;
        }
        if sort == Sort::Bool {
            // Truth values need no choice where one branch is known.
            if a == TRUE || a == condition {
                return self.or2(condition, b);
            }
            if b == FALSE || b == condition {
                return self.and2(condition, a);
            }
            let negated = self.not(condition);
            if a == FALSE || a == negated {
                return self.and2(negated, b);
            }
            if b == TRUE || b == negated {
                return self.or2(negated, a);
            }
            if self.existing_negation(a) == Some(b) {
                return self.eq(condition, a);
            }
        }
        self.intern(Node::Ite(condition, a, b), sort)
    }

    /// 1 where `t` holds, else 0, at this width.
    #[track_caller]
    pub fn bool_to_bits(&mut self, t: TermId, width: u32) -> TermId {
        let one = self.bits(width, 1);
        let zero = self.bits(width, 0);
        self.ite(t, one, zero)
    }

    /// `t != 0`.
    #[track_caller]
    pub fn bits_to_bool(&mut self, t: TermId) -> TermId {
        let width = self.width(t);
        let zero = self.bits(width, 0);
        self.ne(t, zero)
    }

    #[track_caller]
    fn junction(&mut self, kind: Junction, items: impl IntoIterator<Item = TermId>) -> TermId {
        let mut flat: Vec<TermId> = Vec::new();
        for item in items {
            self.expect_bool(item);
            match kind.items(self.node(item)) {
                Some(inner) => flat.extend_from_slice(inner),
                None => flat.push(item),
            }
        }
        loop {
            flat.sort_unstable();
            flat.dedup();
            flat.retain(|&item| item != kind.neutral());
            if flat.contains(&kind.absorbing()) {
                return kind.absorbing();
            }
            let holds = |item: TermId| flat.binary_search(&item).is_ok();
            let denied = |item: TermId| self.existing_negation(item).is_some_and(holds);
            if flat.iter().any(|&item| denied(item)) {
                return kind.absorbing();
            }
            // Absorption, a && (a || b) = a, and unit resolution, a && (!a || b) = a && b; and their duals.
            let mut reduced: Vec<(usize, Option<Vec<TermId>>)> = Vec::new();
            for (position, &item) in flat.iter().enumerate() {
                let Some(inner) = kind.dual().items(self.node(item)) else {
                    continue;
                };
                if inner.iter().any(|&part| holds(part)) {
                    reduced.push((position, None));
                } else if inner.iter().any(|&part| denied(part)) {
                    let rest = inner.iter().copied().filter(|&part| !denied(part));
                    reduced.push((position, Some(rest.collect())));
                }
            }
            if reduced.is_empty() {
                break;
            }
            // All reductions may be done at once: an item is reduced by items older than itself or by items that are
            // never reduced, so no two reduce each other. What they leave may reduce further.
            for (position, rest) in reduced {
                flat[position] = match rest {
                    None => kind.neutral(),
                    Some(rest) => self.junction(kind.dual(), rest),
                };
            }
            flat = flat
                .iter()
                .flat_map(|&item| match kind.items(self.node(item)) {
                    Some(inner) => inner.to_vec(),
                    None => vec![item],
                })
                .collect();
        }
        match *flat {
            [] => kind.neutral(),
            [only] => only,
            _ => {
                let items = flat.into_boxed_slice();
                let node = match kind {
                    Junction::And => Node::And(items),
                    Junction::Or => Node::Or(items),
                };
                self.intern(node, Sort::Bool)
            }
        }
    }
}
