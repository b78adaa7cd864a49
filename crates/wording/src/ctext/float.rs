//! Floating point: what is compared as bits is told as numbers, and exactly.

use super::strength::*;
use super::{Printer, Text, parenthesised};
use crate::naming::{double_text, single_text};
use wherefore_formula::{FloatOp, Node, TermId};
use wherefore_program::CType;

impl Printer<'_, '_> {
    /// Whether C has a `float` or `double` where this term is.
    pub(super) fn is_float(&self, t: TermId) -> bool {
        let Some(width @ (32 | 64)) = self.width_of(t) else { return false };
        match self.node(t) {
            Node::Var(v, _) => match self.definition(*v) {
                Some(definition) => self.is_float(definition),
                None => matches!(self.ctype(t), Some(CType::Float { bits }) if *bits == width),
            },
            Node::Extract { term, low, .. } => self.float_member(*term, *low, width).is_some(),
            Node::Float(op, _) => !matches!(
                op,
                FloatOp::ToSigned { .. }
                    | FloatOp::ToUnsigned { .. }
                    | FloatOp::Eq
                    | FloatOp::Lt
                    | FloatOp::Le
                    | FloatOp::Unordered
            ),
            Node::Ite(_, a, b) => self.are_floats(*a, *b),
            _ => false,
        }
    }

    /// Whether two terms are floating point numbers, or one is and the other a constant.
    pub(super) fn are_floats(&self, a: TermId, b: TermId) -> bool {
        let (p, q) = (self.is_float(a), self.is_float(b));
        p && (q || self.constant(b).is_some()) || q && self.constant(a).is_some()
    }

    fn number_of(&self, bits: u128, width: u32) -> f64 {
        if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits as u64) }
    }

    /// Two numbers have the same bits. `==` says so except for zeros, which have a sign, and for what is not a number.
    pub(super) fn same_float(&self, a: TermId, b: TermId, same: bool) -> Text {
        let (a, b) = if self.constant(a).is_some() { (b, a) } else { (a, b) };
        let width = self.width(a);
        let (left, right) = (self.float_operand(a), self.float_operand(b));
        let call = |name: &str, text: &Text| format!("{name}({})", text.0);
        let recorded = self.constant(b).or_else(|| {
            let value = self.names.trace.terms.evaluate(b, &mut |v| self.position.values[v.0 as usize]);
            value.map(|v| v.raw())
        });
        let number = recorded.map(|bits| self.number_of(bits, width));
        let constant = self.constant(b).is_some();
        let text = match number {
            Some(x) if x.is_nan() && constant => (call("isnan", &left), ATOM),
            Some(x) if x.is_nan() => (format!("{} && {}", call("isnan", &left), call("isnan", &right)), AND),
            Some(x) if constant && x != 0.0 => {
                return self.binary(left, if same { "==" } else { "!=" }, right, EQUAL);
            }
            Some(x) if constant => {
                let not = if x.is_sign_negative() { "" } else { "!" };
                let sign = format!("{not}{}", call("signbit", &left));
                (format!("{} == 0.0 && {sign}", parenthesised(left, EQUAL)), AND)
            }
            _ => {
                let signs = format!("{} == {}", call("signbit", &left), call("signbit", &right));
                (format!("{} && {signs}", self.binary(left, "==", right, EQUAL).0), AND)
            }
        };
        if same { text } else { self.negation(text) }
    }

    /// The bits of a number, as an integer.
    pub(super) fn float_bits(&self, t: TermId, signed: bool) -> Text {
        let (float, integer) = if self.width(t) == 32 { ("float", "int") } else { ("double", "long") };
        let sign = if signed { "" } else { "unsigned " };
        match self.node(t) {
            Node::Var(v, _) if self.definition(*v).is_none() && !self.name(*v).ends_with(')') => {
                (format!("*({sign}{integer} *)&{}", parenthesised(self.plain(*v), UNARY)), UNARY)
            }
            _ => {
                let text = self.float_operand(t).0;
                (format!("(union {{ {float} f; {sign}{integer} i; }}){{ {text} }}.i"), ATOM)
            }
        }
    }

    /// A number in a struct that is held as one: `f().price`.
    fn float_member(&self, t: TermId, low: u32, width: u32) -> Option<Text> {
        let (text, ctype) = self.member_text(t, low, width)?;
        matches!(self.names.program.types[ctype], CType::Float { bits } if bits == width).then_some(text)
    }

    /// An operand of an operation on numbers.
    pub(super) fn float_operand(&self, t: TermId) -> Text {
        let width = self.width(t);
        let float = if width == 32 { "float" } else { "double" };
        let constant = |text: String| {
            let binds = if text.starts_with('-') { UNARY } else { ATOM };
            (text, binds)
        };
        match self.node(t) {
            Node::Const { width: 32, value } => {
                let value = f32::from_bits(*value as u32);
                constant(format!("{}{}", single_text(value), if value.is_finite() { "f" } else { "" }))
            }
            Node::Const { width: 64, value } => constant(double_text(f64::from_bits(*value as u64))),
            Node::Ite(c, a, b) if self.is_float(t) => {
                self.choice(self.formula(*c), self.float_operand(*a), self.float_operand(*b))
            }
            Node::Float(op, items) if self.is_float(t) => self.float_value(*op, items),
            Node::Var(v, _) => match self.definition(*v) {
                Some(definition) => self.float_operand(definition),
                // What a library function gives has the type it needs.
                None if self.is_float(t) || self.ctype(t).is_none() && self.name(*v).ends_with(')') => self.plain(*v),
                None => (format!("*({float} *)&{}", parenthesised(self.plain(*v), UNARY)), UNARY),
            },
            Node::Extract { term, low, .. } if self.is_float(t) => {
                self.float_member(*term, *low, width).expect("it is one")
            }
            _ => {
                let integer = if width == 32 { "unsigned" } else { "unsigned long" };
                let text = self.value(t, false, None).0;
                (format!("(union {{ {integer} i; {float} f; }}){{ {text} }}.f"), ATOM)
            }
        }
    }

    /// A comparison, with a constant on the right.
    pub(super) fn float_comparison(&self, operator: &str, items: &[TermId], binds: u8) -> Text {
        let (left, right) = (self.float_operand(items[0]), self.float_operand(items[1]));
        if self.constant(items[0]).is_none() {
            return self.binary(left, operator, right, binds);
        }
        let turned = match operator {
            "<" => ">",
            "<=" => ">=",
            same => same,
        };
        self.binary(right, turned, left, binds)
    }

    pub(super) fn float_formula(&self, op: FloatOp, items: &[TermId]) -> Text {
        let operand = |i: usize| self.float_operand(items[i]);
        match op {
            FloatOp::Eq => self.float_comparison("==", items, EQUAL),
            FloatOp::Lt => self.float_comparison("<", items, ORDER),
            FloatOp::Le => self.float_comparison("<=", items, ORDER),
            FloatOp::Unordered => (format!("isunordered({}, {})", operand(0).0, operand(1).0), ATOM),
            _ => self.float_value(op, items),
        }
    }

    pub(super) fn float_value(&self, op: FloatOp, items: &[TermId]) -> Text {
        let operand = |i: usize| self.float_operand(items[i]);
        let float = |width: u32| if width == 32 { "float" } else { "double" };
        let function = |name: &str| format!("{name}{}", if self.width(items[0]) == 32 { "f" } else { "" });
        let integer = |width: u32, signed: bool| super::integer_type(width, signed).unwrap_or("long");
        match op {
            FloatOp::Add => self.binary(operand(0), "+", operand(1), SUM),
            FloatOp::Sub => self.binary(operand(0), "-", operand(1), SUM),
            FloatOp::Mul => self.binary(operand(0), "*", operand(1), PRODUCT),
            FloatOp::Div => self.binary(operand(0), "/", operand(1), PRODUCT),
            FloatOp::Rem => (format!("{}({}, {})", function("fmod"), operand(0).0, operand(1).0), ATOM),
            FloatOp::Neg => (format!("-{}", parenthesised(operand(0), UNARY)), UNARY),
            FloatOp::Abs => (format!("{}({})", function("fabs"), operand(0).0), ATOM),
            FloatOp::Sqrt => (format!("{}({})", function("sqrt"), operand(0).0), ATOM),
            FloatOp::FromSigned { width } => self.cast(float(width), self.value(items[0], true, None)),
            FloatOp::FromUnsigned { width } => self.cast(float(width), self.value(items[0], false, None)),
            FloatOp::Convert { width } => self.cast(float(width), operand(0)),
            FloatOp::ToSigned { width } => self.cast(integer(width, true), operand(0)),
            FloatOp::ToUnsigned { width } => self.cast(integer(width, false), operand(0)),
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered => self.float_formula(op, items),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{DOUBLE, Fixture};
    use wherefore_formula::FloatOp;

    #[test]
    fn the_same_bits_are_told_as_numbers() {
        let mut fixture = Fixture::new();
        let x = fixture.local(0, "x", DOUBLE, 3, &[]);
        let x = fixture.term(x);
        let terms = &mut fixture.trace.terms;
        let ten = terms.bits(64, u128::from(10f64.to_bits()));
        let sum = terms.float(FloatOp::Add, &[x, ten]);
        let mut same = |number: f64| {
            let number = terms.bits(64, u128::from(number.to_bits()));
            (terms.eq(sum, number), terms.eq(x, number))
        };
        let (nine, zero, minus, none) = (same(9.5), same(0.0), same(-0.0), same(f64::NAN));
        assert_eq!(fixture.text(&[nine.0]), "x + 10.0 == 9.5");
        assert_eq!(fixture.text(&[zero.1]), "x == 0.0 && !signbit(x)");
        assert_eq!(fixture.text(&[minus.1]), "x == 0.0 && signbit(x)");
        assert_eq!(fixture.text(&[none.1]), "isnan(x)");
    }

    #[test]
    fn bits_that_are_ordered_are_read_as_bits() {
        let mut fixture = Fixture::new();
        let x = fixture.local(0, "x", DOUBLE, 3, &[]);
        let x = fixture.term(x);
        let five = fixture.trace.terms.bits(64, 5);
        let order = fixture.trace.terms.sle(x, five);
        assert_eq!(fixture.text(&[order]), "*(long *)&x <= 5");
    }
}
