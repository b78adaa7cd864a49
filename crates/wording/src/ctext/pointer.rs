//! Pointers as C writes them: C counts elements where the machine counts bytes.

use super::strength::*;
use super::{Printer, Text, parenthesised};
use wherefore_formula::{BinaryOp, Node, TermId};
use wherefore_program::CType;

/// A pointer plus something: `bytes` and terms, each counted so many bytes, added or subtracted.
struct Sum {
    base: TermId,
    terms: Vec<(bool, TermId, u64)>,
    bytes: i64,
}

impl Printer<'_, '_> {
    /// Whether C has a pointer where this term is.
    pub(super) fn is_pointer(&self, t: TermId) -> bool {
        if self.width_of(t) != Some(64) {
            return false;
        }
        let or_constant =
            |a: TermId, b: TermId| self.is_pointer(a) && (self.constant(b).is_some() || self.is_pointer(b));
        match self.node(t) {
            Node::Var(v, _) => match self.definition(*v) {
                Some(definition) => self.is_pointer(definition),
                None => matches!(self.ctype(t), Some(CType::Pointer(_))),
            },
            Node::Binary(BinaryOp::Add, a, b) => self.is_pointer(*a) != self.is_pointer(*b),
            Node::Binary(BinaryOp::Sub, a, b) => self.is_pointer(*a) && !self.is_pointer(*b),
            Node::Ite(_, a, b) => or_constant(*a, *b) || or_constant(*b, *a),
            _ => false,
        }
    }

    /// Whether two terms are pointers, or one is and the other an address.
    pub(super) fn are_pointers(&self, a: TermId, b: TermId) -> bool {
        let (p, q) = (self.is_pointer(a), self.is_pointer(b));
        p && (q || self.constant(b).is_some()) || q && self.constant(a).is_some()
    }

    /// Size of what a pointer points to, as C counts: 1 for `void *`.
    fn element(&self, t: TermId) -> Option<u64> {
        match self.node(t) {
            Node::Var(v, _) if self.definition(*v).is_some() => self.element(self.definition(*v)?),
            Node::Var(..) => match self.ctype(t) {
                Some(CType::Pointer(to)) => match self.names.program.types[*to] {
                    CType::Void | CType::Function => Some(1),
                    _ => self.names.program.types.size(*to).filter(|s| *s > 0),
                },
                _ => None,
            },
            Node::Binary(_, a, b) | Node::Ite(_, a, b) => {
                if self.is_pointer(*a) {
                    self.element(*a)
                } else {
                    self.element(*b)
                }
            }
            _ => None,
        }
    }

    /// Text of a pointer, or of an address among pointers.
    pub(super) fn pointer(&self, t: TermId) -> Text {
        match self.node(t) {
            Node::Const { value, .. } => self.address(*value as u64),
            Node::Var(v, _) => match self.definition(*v) {
                Some(definition) => self.pointer(definition),
                None => self.plain(*v),
            },
            Node::Ite(c, a, b) => self.choice(self.formula(*c), self.pointer(*a), self.pointer(*b)),
            _ => self.sum(t),
        }
    }

    fn address(&self, address: u64) -> Text {
        let text = self.names.address(address, self.position);
        match text.as_bytes() {
            [b'0', b'x', ..] => (format!("(void *){text}"), UNARY),
            [b'&', ..] => (text, UNARY),
            _ if text.contains(" + ") => (text, SUM),
            _ => (text, ATOM),
        }
    }

    /// A pointer plus something, in elements where that is possible.
    fn sum(&self, t: TermId) -> Text {
        let mut sum = Sum { base: t, terms: vec![], bytes: 0 };
        self.take_apart(t, &mut sum);
        let size = self.element(sum.base).unwrap_or(0);
        let whole = size > 0 && sum.bytes % size as i64 == 0 && sum.terms.iter().all(|(_, _, scale)| scale % size == 0);
        let unit = if whole { size } else { 1 };
        let base = self.pointer(sum.base);
        let mut text = if whole { base } else { self.cast("char *", base) };
        for (minus, term, scale) in sum.terms {
            let index = self.value(term, true, None);
            let index = match scale / unit {
                1 => index,
                factor => self.binary(index, "*", (factor.to_string(), ATOM), PRODUCT),
            };
            text = self.binary(text, if minus { "-" } else { "+" }, index, SUM);
        }
        match sum.bytes / unit as i64 {
            0 => text,
            count => {
                let number = (count.unsigned_abs().to_string(), ATOM);
                self.binary(text, if count < 0 { "-" } else { "+" }, number, SUM)
            }
        }
    }

    fn take_apart(&self, t: TermId, sum: &mut Sum) {
        match self.node(t) {
            Node::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) if self.is_pointer(t) => {
                let (pointer, other) = if self.is_pointer(*a) { (*a, *b) } else { (*b, *a) };
                self.take_apart(pointer, sum);
                self.count(other, *op == BinaryOp::Sub, sum);
            }
            _ => sum.base = t,
        }
    }

    /// Something that is added to a pointer.
    fn count(&self, t: TermId, minus: bool, sum: &mut Sum) {
        match self.node(t) {
            Node::Const { value, .. } if minus => sum.bytes = sum.bytes.wrapping_sub(*value as i64),
            Node::Const { value, .. } => sum.bytes = sum.bytes.wrapping_add(*value as i64),
            Node::Binary(BinaryOp::Add, a, b) => [*a, *b].into_iter().for_each(|x| self.count(x, minus, sum)),
            Node::Binary(BinaryOp::Mul, a, b) => match self.constant(*b) {
                Some(scale) if scale > 0 && scale < 1 << 32 => sum.terms.push((minus, *a, scale as u64)),
                _ => sum.terms.push((minus, t, 1)),
            },
            Node::Binary(BinaryOp::Shl, a, b) => match self.constant(*b) {
                Some(by) if by < 32 => sum.terms.push((minus, *a, 1 << by)),
                _ => sum.terms.push((minus, t, 1)),
            },
            _ => sum.terms.push((minus, t, 1)),
        }
    }

    /// The difference of two pointers: in elements when it is divided by their size, else in bytes. Its type is `long`.
    pub(super) fn difference(&self, op: BinaryOp, a: TermId, b: TermId) -> Option<Text> {
        if op == BinaryOp::Sub && self.are_pointers(a, b) {
            let one = self.element(a) == Some(1) && self.element(b) == Some(1);
            let side = |t: TermId| if one { self.pointer(t) } else { self.cast("char *", self.pointer(t)) };
            return Some(self.binary(side(a), "-", side(b), SUM));
        }
        let Node::Binary(BinaryOp::Sub, p, q) = self.node(a) else { return None };
        let size = self.constant(b).filter(|_| op == BinaryOp::SDiv)? as u64;
        if !self.are_pointers(*p, *q) {
            return None;
        }
        let (left, right) = (self.pointer(*p), self.pointer(*q));
        // An address without a name is no element of anything.
        let named = |t: TermId, text: &Text| match self.constant(t) {
            Some(_) => !text.0.starts_with('(') && text.0 != "NULL",
            None => self.element(t) == Some(size),
        };
        let counts = named(*p, &left) && named(*q, &right);
        counts.then(|| (format!("{} - {}", parenthesised(left, SUM), parenthesised(right, SUM + 1)), SUM))
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, INT_POINTER};
    use wherefore_formula::BinaryOp;

    #[test]
    fn c_counts_elements() {
        let mut fixture = Fixture::new();
        let (p, q) = (fixture.local(0, "p", INT_POINTER, 3, &[]), fixture.local(0, "q", INT_POINTER, 4, &[]));
        let (p, q) = (fixture.term(p), fixture.term(q));
        let terms = &mut fixture.trace.terms;
        let (eight, two, four) = (terms.bits(64, 8), terms.bits(64, 2), terms.bits(64, 4));
        let whole = terms.binary(BinaryOp::Add, p, eight);
        let whole = terms.eq(q, whole);
        let odd = terms.binary(BinaryOp::Add, p, two);
        let odd = terms.eq(q, odd);
        let bytes = terms.binary(BinaryOp::Sub, q, p);
        let elements = terms.binary(BinaryOp::SDiv, bytes, four);
        let (bytes, elements) = (terms.sle(four, bytes), terms.eq(elements, two));
        assert_eq!(fixture.text(&[whole]), "q == p + 2");
        assert_eq!(fixture.text(&[odd]), "q == (char *)p + 2");
        assert_eq!(fixture.text(&[elements]), "q - p == 2");
        assert_eq!(fixture.text(&[bytes]), "(char *)q - (char *)p >= 4");
    }

    #[test]
    fn addresses_and_bits_of_pointers_are_c() {
        let mut fixture = Fixture::new();
        let p = fixture.local(0, "p", INT_POINTER, 3, &[]);
        let p = fixture.term(p);
        let terms = &mut fixture.trace.terms;
        let (null, one, seven) = (terms.bits(64, 0), terms.bits(64, 1), terms.bits(64, 7));
        let low = terms.binary(BinaryOp::And, p, seven);
        let (is_null, is_one, low) = (terms.eq(p, null), terms.eq(p, one), terms.eq(low, one));
        assert_eq!(fixture.text(&[is_null]), "p == NULL");
        assert_eq!(fixture.text(&[is_one]), "p == (void *)0x1");
        assert_eq!(fixture.text(&[low]), "((unsigned long)p & 7) == 1");
    }
}
