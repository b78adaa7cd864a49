//! C text of terms.
//!
//! What is printed must mean in C what the term means in bits. So each text is made for a *reading* of the bits, signed
//! or unsigned, and has that value in C, casts included: `(unsigned)-x >= 7` where `-x >= 7` would be another formula.

mod float;
mod object;
mod pointer;

use crate::characters::{self, Condition, Says};
use crate::naming::{Names, Position, signed_value};
use crate::part::{bit_field, part};
use std::collections::HashMap;
use wherefore_formula::{BinaryOp, CompareOp, FloatOp, Node, Sort, TermId, VarId};
use wherefore_program::{CType, TypeId};

/// C's binding strengths, as far as needed.
mod strength {
    pub const CHOICE: u8 = 1;
    pub const OR: u8 = 2;
    pub const AND: u8 = 3;
    pub const BIT_OR: u8 = 4;
    pub const BIT_XOR: u8 = 5;
    pub const BIT_AND: u8 = 6;
    pub const EQUAL: u8 = 7;
    pub const ORDER: u8 = 8;
    pub const SHIFT: u8 = 9;
    pub const SUM: u8 = 10;
    pub const PRODUCT: u8 = 11;
    pub const UNARY: u8 = 12;
    pub const ATOM: u8 = 13;
}
pub use strength::AND as BINDS_LIKE_AND;
use strength::*;

/// Text with its binding strength.
pub type Text = (String, u8);

/// Put parentheses around what binds too loosely.
pub fn parenthesised((text, binds): Text, at_least: u8) -> String {
    if binds < at_least { format!("({text})") } else { text }
}

/// The integer type of a width as C writes it.
fn integer_type(bits: u32, signed: bool) -> Option<&'static str> {
    Some(match (bits, signed) {
        (8, true) => "signed char",
        (8, false) => "unsigned char",
        (16, true) => "short",
        (16, false) => "unsigned short",
        (32, true) => "int",
        (32, false) => "unsigned",
        (64, true) => "long",
        (64, false) => "unsigned long",
        (128, true) => "__int128",
        (128, false) => "unsigned __int128",
        _ => return None,
    })
}

/// Prints terms as they read at a position.
pub struct Printer<'n, 'a> {
    pub names: &'n Names<'a>,
    pub position: Position<'n>,
    /// Names of variables, told apart where they would be the same.
    pub distinct: HashMap<VarId, String>,
    /// Print `x < 0` as it is rather than as `x <= -1`.
    pub strict: bool,
}

impl Printer<'_, '_> {
    fn node(&self, t: TermId) -> &Node {
        self.names.trace.terms.node(t)
    }

    fn width(&self, t: TermId) -> u32 {
        self.names.trace.terms.width(t)
    }

    fn width_of(&self, t: TermId) -> Option<u32> {
        match self.names.trace.terms.sort(t) {
            Sort::Bits(width) => Some(width),
            Sort::Bool | Sort::Int => None,
        }
    }

    fn constant(&self, t: TermId) -> Option<u128> {
        self.names.trace.terms.constant(t)
    }

    fn name(&self, v: VarId) -> String {
        self.distinct.get(&v).cloned().unwrap_or_else(|| self.names.variable(v, self.position))
    }

    fn binary(&self, left: Text, operator: &str, right: Text, binds: u8) -> Text {
        let text = format!("{} {operator} {}", parenthesised(left, binds), parenthesised(right, binds + 1));
        (text, binds)
    }

    fn cast(&self, to: &str, text: Text) -> Text {
        (format!("({to}){}", parenthesised(text, UNARY)), UNARY)
    }

    /// A formula.
    pub fn formula(&self, t: TermId) -> Text {
        match self.node(t) {
            Node::True => ("true".into(), ATOM),
            Node::False => ("false".into(), ATOM),
            Node::And(items) => self.conjunction(items),
            Node::Or(items) => self.list(items, " || ", OR),
            Node::Not(inner) => self.not(*inner),
            Node::Eq(a, b) => self.equality(*a, "==", *b),
            Node::Compare(op, a, b) => self.order(*op, *a, *b),
            Node::Ite(c, a, b) => self.choice(self.formula(*c), self.formula(*a), self.formula(*b)),
            Node::Float(op, items) => self.float_formula(*op, items),
            _ => self.value(t, self.reads_signed(t), None),
        }
    }

    /// A formula or a value.
    pub fn any(&self, t: TermId) -> Text {
        match self.names.trace.terms.sort(t) {
            Sort::Bool => self.formula(t),
            Sort::Bits(_) if self.is_pointer(t) => self.pointer(t),
            Sort::Bits(_) if self.is_float(t) => self.float_operand(t),
            // Traces are made of bits.
            Sort::Bits(_) | Sort::Int => self.value(t, self.reads_signed(t), None),
        }
    }

    /// The negation of a formula; of what is told as one comparison, the opposite one.
    /// The opposite of a formula.
    fn not(&self, t: TermId) -> Text {
        match self.node(t) {
            Node::Not(inner) => self.formula(*inner),
            Node::Eq(a, b) => self.equality(*a, "!=", *b),
            Node::Float(FloatOp::Eq, items) => self.float_comparison("!=", items, EQUAL),
            _ => self.negation_of(t),
        }
    }

    fn negation_of(&self, t: TermId) -> Text {
        let (text, binds) = self.formula(t);
        let one = binds == EQUAL && self.is_about_text(t);
        let opposite = [(" == ", " != "), (" >= ", " < ")].into_iter().find_map(|(is, is_not)| {
            let (left, right) = text.rsplit_once(is).filter(|_| one)?;
            Some(format!("{left}{is_not}{right}"))
        });
        opposite.map_or_else(|| self.negation((text, binds)), |text| (text, EQUAL))
    }

    fn negation(&self, text: Text) -> Text {
        (format!("!{}", parenthesised(text, UNARY)), UNARY)
    }

    /// A condition, and what it says of a character.
    pub fn told(&self, t: TermId, binds: u8) -> Condition {
        let order = self.names.trace.terms.variables(t).first().map_or(0, |v| v.0);
        Condition { text: parenthesised(self.formula(t), binds), order, character: self.character(t) }
    }

    fn conjunction(&self, items: &[TermId]) -> Text {
        let items = characters::together(items.iter().map(|item| self.told(*item, AND + 1)).collect());
        let binds = if items.len() == 1 { EQUAL } else { AND };
        (items.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" && "), binds)
    }

    /// Whether a conjunction is about several characters: their values say nothing more.
    pub fn is_about_text(&self, t: TermId) -> bool {
        let t = if let Node::Not(inner) = self.node(t) { *inner } else { t };
        let Node::And(items) = self.node(t) else { return false };
        items.iter().filter(|item| self.character(**item).is_some()).count() > 1
    }

    /// The name of a character that a condition is about, and what it says.
    fn character(&self, t: TermId) -> Option<(String, Says)> {
        let (equation, holds) = match self.node(t) {
            Node::Not(inner) => (*inner, false),
            _ => (t, true),
        };
        let Node::Eq(a, b) = *self.node(equation) else { return None };
        let Node::Var(v, Sort::Bits(8)) = *self.node(a) else { return None };
        let byte = self.constant(b)? as u8;
        let ctype = self.names.trace.variables[v.0 as usize].ctype.map(|t| &self.names.program.types[t]);
        let is_char = ctype.is_none_or(|t| matches!(t, CType::Integer { name, .. } if name == "char"));
        let says = match (holds, byte) {
            (true, byte) => Says::Is(byte),
            (false, 0) => Says::GoesOn,
            _ => return None,
        };
        is_char.then(|| (self.name(v), says))
    }

    fn list(&self, items: &[TermId], separator: &str, binds: u8) -> Text {
        let texts: Vec<String> = items.iter().map(|i| parenthesised(self.formula(*i), binds + 1)).collect();
        (texts.join(separator), binds)
    }

    fn choice(&self, c: Text, a: Text, b: Text) -> Text {
        let text =
            format!("{} ? {} : {}", parenthesised(c, OR), parenthesised(a, CHOICE + 1), parenthesised(b, CHOICE + 1));
        (text, CHOICE)
    }

    fn equality(&self, a: TermId, operator: &str, b: TermId) -> Text {
        if let Some((condition, chosen)) = self.truth(a).zip(self.constant(b)) {
            return if (operator == "==") == (chosen == 1) { self.formula(condition) } else { self.not(condition) };
        }
        if self.names.trace.terms.sort(a) == Sort::Bool {
            return self.binary(self.formula(a), operator, self.formula(b), EQUAL);
        }
        let truth = self.width(a) == 1 || matches!(self.ctype(a), Some(CType::Bool));
        if let Some(value) = self.constant(b).filter(|v| truth && *v < 2) {
            let text = self.value(a, false, None);
            return if (value == 1) == (operator == "==") { text } else { self.negation(text) };
        }
        if let Some(words) = self.constant(b).and_then(|number| self.size_compared(a, operator, number)) {
            return words;
        }
        if self.are_pointers(a, b) {
            return self.binary(self.pointer(a), operator, self.pointer(b), EQUAL);
        }
        if self.are_floats(a, b) {
            return self.same_float(a, b, operator == "==");
        }
        let hint = self.type_id(a).or(self.type_id(b));
        let signed = if self.constant(a).is_some() { self.reads_signed(b) } else { self.reads_signed(a) };
        let (left, right) = self.compared(a, b, signed, hint);
        self.binary(left, operator, right, EQUAL)
    }

    /// Constants stand on the right, and bounds include their number unless the text should stay as written.
    fn order(&self, op: CompareOp, a: TermId, b: TermId) -> Text {
        let signed = op.is_signed();
        if !signed && self.are_pointers(a, b) {
            let operator = if op.is_strict() { "<" } else { "<=" };
            return self.binary(self.pointer(a), operator, self.pointer(b), ORDER);
        }
        let (left, right) = (self.constant(a), self.constant(b));
        let width = self.width(a);
        let ones = u128::MAX >> (128 - width);
        let smallest = if signed { 1u128 << (width - 1) } else { 0 };
        let largest = if signed { (1u128 << (width - 1)) - 1 } else { ones };
        let (name, operator, number) = match (left, right) {
            (Some(value), _) if !op.is_strict() => (b, ">=", value),
            (Some(value), _) if self.strict || value == largest => (b, ">", value),
            (Some(value), _) => (b, ">=", (value + 1) & ones),
            (None, Some(value)) if !op.is_strict() => (a, "<=", value),
            (None, Some(value)) if self.strict || value == smallest => (a, "<", value),
            (None, Some(value)) => (a, "<=", value.wrapping_sub(1) & ones),
            (None, None) => {
                let operator = if op.is_strict() { "<" } else { "<=" };
                let (left, right) = self.compared(a, b, signed, None);
                return self.binary(left, operator, right, ORDER);
            }
        };
        if let Some(words) = self.size_compared(name, operator, number) {
            return words;
        }
        let text = self.number(number, width, signed, self.type_id(name));
        let constant = if left.is_some() { a } else { b };
        self.binary(self.compared(name, constant, signed, None).0, operator, text, ORDER)
    }

    /// A constant, written in the way of a type where it has one.
    fn number(&self, value: u128, width: u32, signed: bool, hint: Option<TypeId>) -> Text {
        let hint = hint.filter(|t| match &self.names.program.types[*t] {
            CType::Enum { bits, .. } => *bits == width,
            CType::Integer { name, bits, signed: s } => name == "char" && *bits == width && *s == signed,
            _ => false,
        });
        let text = match hint {
            Some(_) => self.names.number(value, width, hint, signed),
            None if signed => signed_value(value, width).to_string(),
            // Without the suffix it would be a long, and what is computed with it would not wrap.
            None if width == 32 && value > i32::MAX as u128 || value > i64::MAX as u128 => format!("{value}u"),
            None => value.to_string(),
        };
        let binds = if text.starts_with('-') { UNARY } else { ATOM };
        (text, binds)
    }

    /// What a choice chose.
    fn definition(&self, v: VarId) -> Option<TermId> {
        self.names.trace.variables[v.0 as usize].definition
    }

    /// The condition that a choice between 0 and 1 was made by, where it is 1 if that holds.
    fn truth(&self, t: TermId) -> Option<TermId> {
        let Node::Var(v, _) = self.node(t) else { return None };
        match self.node(self.definition(*v)?) {
            Node::Ite(c, a, b) => (self.constant(*a) == Some(1) && self.constant(*b) == Some(0)).then_some(*c),
            _ => None,
        }
    }

    fn type_id(&self, t: TermId) -> Option<TypeId> {
        match self.node(t) {
            Node::Var(v, _) => self.names.ctype(*v),
            Node::SignExtend(a, _) | Node::ZeroExtend(a, _) => self.type_id(*a),
            Node::Extract { term, low: 0, width: 1 } => self.type_id(*term),
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => self.type_id(*a).or(self.type_id(*b)),
            _ => None,
        }
    }

    fn ctype(&self, t: TermId) -> Option<&CType> {
        self.type_id(t).map(|t| &self.names.program.types[t])
    }

    /// How C reads the bits of a term where nothing says otherwise.
    fn reads_signed(&self, t: TermId) -> bool {
        match self.node(t) {
            Node::Var(v, _) => match self.definition(*v) {
                Some(definition) => self.reads_signed(definition),
                None => match self.ctype(t) {
                    Some(CType::Integer { signed, .. } | CType::Enum { signed, .. }) => *signed,
                    Some(CType::Pointer(_) | CType::Bool | CType::Float { .. }) => false,
                    _ => true,
                },
            },
            Node::Binary(BinaryOp::UDiv | BinaryOp::URem | BinaryOp::LShr, ..) => false,
            Node::Binary(BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::AShr, ..) => true,
            Node::Binary(BinaryOp::Sub, a, b) if self.are_pointers(*a, *b) => true,
            Node::Binary(BinaryOp::Shl, a, _) | Node::Neg(a) | Node::BitNot(a) => self.reads_signed(*a),
            Node::Binary(_, a, b) | Node::Ite(_, a, b) => {
                let known = |x: TermId| self.constant(x).is_none();
                (!known(*a) || self.reads_signed(*a)) && (!known(*b) || self.reads_signed(*b))
            }
            Node::ZeroExtend(..) | Node::Concat(..) => false,
            _ => true,
        }
    }

    /// Signedness and width of the C type that the text of a value has, after promotion.
    fn text_type(&self, t: TermId, signed: bool) -> (bool, u32) {
        let promoted = |signed: bool, bits: u32| if bits < 32 { (true, 32) } else { (signed, bits) };
        let width = self.width(t);
        match self.node(t) {
            Node::Const { value, .. } => match if signed { signed_value(*value, width) } else { *value as i128 } {
                number if i128::from(i32::MIN) < number && number <= i128::from(i32::MAX) => (true, 32),
                number if number <= i128::from(i64::MAX) => (true, 64),
                _ => (false, 64),
            },
            Node::Var(v, _) => match self.definition(*v) {
                Some(definition) => self.text_type(definition, signed),
                None => match self.ctype(t) {
                    Some(CType::Bool) => (true, 32),
                    _ => promoted(signed, width),
                },
            },
            Node::Ite(_, a, b) => {
                let (a, b) = (self.text_type(*a, signed), self.text_type(*b, signed));
                if a.1 >= b.1 { a } else { b }
            }
            Node::SignExtend(a, _) if signed => self.text_type(*a, true),
            Node::ZeroExtend(a, _) => self.text_type(*a, false),
            Node::Binary(BinaryOp::UDiv | BinaryOp::URem | BinaryOp::LShr, a, _) if !signed => {
                self.text_type(*a, false)
            }
            Node::Binary(BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::AShr, a, _) if signed => self.text_type(*a, true),
            _ => promoted(signed, width),
        }
    }

    /// The operands of an operation of a width: C must not compute in a narrower type.
    fn wide_enough(&self, a: TermId, b: Option<TermId>, signed: bool, width: u32) -> Text {
        let text = self.value(a, signed, None);
        let bits = |t: TermId| self.text_type(t, signed).1;
        // Sums that are held against what fits have a bit more than a type of C.
        match integer_type(width.next_power_of_two(), signed) {
            Some(to) if width > 32 && bits(a).max(b.map_or(0, bits)) < width => self.cast(to, text),
            _ => text,
        }
    }

    /// Two operands to compare: an unsigned one must not turn a negative one into a large number.
    fn compared(&self, a: TermId, b: TermId, signed: bool, hint: Option<TypeId>) -> (Text, Text) {
        let side = |t: TermId, other: TermId| {
            let text = self.value(t, signed, hint);
            let (mine, theirs) = (self.text_type(t, signed), self.text_type(other, signed));
            let negative = self.constant(other).is_none_or(|v| signed && signed_value(v, self.width(other)) < 0);
            let converts = !mine.0 && theirs.0 && mine.1 >= theirs.1 && mine.1 < self.width(t) && negative;
            if converts && signed { self.cast("long", text) } else { text }
        };
        (side(a, b), side(b, a))
    }

    /// Text whose value in C is the number that the bits stand for, read signed or unsigned.
    fn value(&self, t: TermId, signed: bool, hint: Option<TypeId>) -> Text {
        let width = self.width(t);
        if self.is_pointer(t) {
            return self.cast(if signed { "long" } else { "unsigned long" }, self.pointer(t));
        }
        if self.is_float(t) {
            return self.float_bits(t, signed);
        }
        match self.node(t) {
            Node::Const { value, .. } => self.number(*value, width, signed, hint),
            Node::Var(v, _) => match self.definition(*v) {
                Some(definition) => self.value(definition, signed, hint),
                None => self.variable(*v, signed),
            },
            Node::Ite(c, a, b) => match (self.constant(*a), self.constant(*b)) {
                (Some(1), Some(0)) => self.formula(*c),
                (Some(0), Some(1)) => self.not(*c),
                _ => self.choice(self.formula(*c), self.value(*a, signed, hint), self.value(*b, signed, hint)),
            },
            Node::SignExtend(a, _) => self.adjust(self.value(*a, true, hint), true, signed, width),
            // A number with zeros in front is the same in both readings.
            Node::ZeroExtend(a, _) => self.value(*a, false, hint),
            Node::Extract { term, low: 0, width: 1 }
                if matches!(self.ctype(*term), Some(CType::Bool)) || self.is_one_bit(*term) =>
            {
                self.value(*term, false, None)
            }
            Node::Extract { term, low, .. } => {
                if let Some(text) = self.member(*term, *low, width, signed) {
                    return text;
                }
                let inner = self.value(*term, *low == 0 && self.reads_signed(*term), None);
                let shifted = if *low == 0 { inner } else { self.binary(inner, ">>", (low.to_string(), ATOM), SHIFT) };
                self.narrowed(shifted, width, signed)
            }
            Node::Concat(high, low) => {
                let shift = self.width(*low).to_string();
                let high = self.cast("unsigned long", self.value(*high, false, None));
                let high = self.binary(high, "<<", (shift, ATOM), SHIFT);
                let text = self.binary(high, "|", self.value(*low, false, None), BIT_OR);
                if signed { self.narrowed(text, width, true) } else { text }
            }
            Node::BitNot(a) => self.modular(*a, None, "~", UNARY, signed, width),
            Node::Neg(a) => self.modular(*a, None, "-", UNARY, signed, width),
            Node::Binary(op, a, b) => self.arithmetic(t, *op, *a, *b, signed),
            Node::Float(op, items) => self.float_value(*op, items),
            _ => self.formula(t),
        }
    }

    /// Whether a value is 0 or 1 by its form.
    fn is_one_bit(&self, t: TermId) -> bool {
        matches!(self.node(t), Node::Binary(BinaryOp::And, _, mask) if self.constant(*mask) == Some(1))
    }

    fn variable(&self, v: VarId, signed: bool) -> Text {
        let bits = self.names.trace.variables[v.0 as usize].bits;
        self.typed(self.plain(v), self.names.ctype(v), bits, signed)
    }

    /// The name of a variable.
    fn plain(&self, v: VarId) -> Text {
        let name = self.name(v);
        let binds = if name.starts_with(['*', '-']) { UNARY } else { ATOM };
        (name, binds)
    }

    /// Text of something that has a type, for a reading.
    fn typed(&self, text: Text, ctype: Option<TypeId>, bits: u32, signed: bool) -> Text {
        match ctype.map(|t| &self.names.program.types[t]) {
            Some(CType::Integer { signed: s, .. } | CType::Enum { signed: s, .. }) => {
                self.adjust(text, *s, signed, bits)
            }
            Some(_) => text,
            None => self.adjust(text, true, signed, bits),
        }
    }

    /// A part of a struct that is held as one number: `f().hi`.
    fn member(&self, t: TermId, low: u32, bits: u32, signed: bool) -> Option<Text> {
        let (text, ctype) = self.member_text(t, low, bits)?;
        let number =
            matches!(self.names.program.types[ctype], CType::Integer { .. } | CType::Enum { .. } | CType::Bool);
        number.then(|| self.typed(text, Some(ctype), bits, signed))
    }

    /// The name of such a part, and its type.
    fn member_text(&self, t: TermId, low: u32, bits: u32) -> Option<(Text, TypeId)> {
        let Node::Var(v, _) = self.node(t) else { return None };
        let (v, start) = self.names.carried(*v).unwrap_or((*v, 0));
        let whole = self.names.trace.variables[v.0 as usize].ctype?;
        let (suffix, ctype) = part(&self.names.program.types, whole, u64::from(start + low), u64::from(bits))?;
        let text = (format!("{}{suffix}", parenthesised(self.plain(v), ATOM)), ATOM);
        (!suffix.is_empty()).then_some((text, ctype))
    }

    /// A text that has the right value in one reading, for the other one.
    fn adjust(&self, text: Text, is_signed: bool, signed: bool, width: u32) -> Text {
        match integer_type(width, signed) {
            Some(to) if is_signed != signed => self.cast(to, text),
            _ => text,
        }
    }

    /// The low bits of a text.
    fn narrowed(&self, text: Text, width: u32, signed: bool) -> Text {
        match integer_type(width, signed) {
            Some(to) => self.cast(to, text),
            None => self.binary(text, "&", (format!("{:#x}", (1u128 << width) - 1), ATOM), BIT_AND),
        }
    }

    /// An operation that wraps: C computes it in `int` or wider, so narrower ones are cut afterwards.
    fn modular(&self, a: TermId, b: Option<TermId>, operator: &str, binds: u8, signed: bool, width: u32) -> Text {
        let natural = self.reads_signed(a) && b.is_none_or(|b| self.reads_signed(b) || self.constant(b).is_some());
        let natural = natural || (self.constant(a).is_some() && b.is_some_and(|b| self.reads_signed(b)));
        let natural = natural && !b.is_some_and(|b| self.wraps(a, operator, self.signed_in_run(b), width));
        let text = match b {
            None => {
                let inner = self.wide_enough(a, None, natural, width);
                (format!("{operator}{}", parenthesised(inner, UNARY)), UNARY)
            }
            Some(b) => {
                let left = self.wide_enough(a, Some(b), natural, width);
                self.binary(left, operator, self.value(b, natural, None), binds)
            }
        };
        if width < 32 { self.narrowed(text, width, signed) } else { self.adjust(text, natural, signed, width) }
    }

    /// The shifts and masks by which a bit-field is read.
    fn bit_field(&self, op: BinaryOp, a: TermId, b: TermId) -> Option<String> {
        let amount = |t: TermId| self.constant(t).map(|v| v as u64);
        let width = u64::from(self.width(a));
        let (v, low, bits) = match (op, self.node(a)) {
            // Unsigned: (x >> low) & mask.
            (BinaryOp::And, Node::Binary(BinaryOp::LShr, x, by)) => {
                let mask = amount(b).filter(|m| (m + 1).is_power_of_two())?;
                (*x, amount(*by)?, u64::from(mask.count_ones()))
            }
            (BinaryOp::And, Node::Var(..) | Node::Extract { .. }) => {
                let mask = amount(b).filter(|m| (m + 1).is_power_of_two())?;
                (a, 0, u64::from(mask.count_ones()))
            }
            (BinaryOp::LShr, Node::Var(..) | Node::Extract { .. }) => (a, amount(b)?, width.checked_sub(amount(b)?)?),
            // Signed: (x << left) >> right.
            (BinaryOp::AShr, Node::Binary(BinaryOp::Shl, x, by)) => {
                let (left, right) = (amount(*by)?, amount(b)?);
                (*x, right.checked_sub(left)?, width.checked_sub(right)?)
            }
            (BinaryOp::AShr, Node::Var(..) | Node::Extract { .. }) => (a, amount(b)?, width.checked_sub(amount(b)?)?),
            _ => return None,
        };
        // A struct that is passed in a register lies in its low bits.
        let (v, low) = match self.node(v) {
            Node::Extract { term, low: from, .. } => (*term, low + u64::from(*from)),
            _ => (v, low),
        };
        let Node::Var(v, _) = self.node(v) else { return None };
        let (name, ctype, offset) = self.names.declared(*v, self.position)?;
        bit_field(&self.names.program.types, ctype, offset * 8 + low, bits).map(|suffix| format!("{name}{suffix}"))
    }

    fn arithmetic(&self, t: TermId, op: BinaryOp, a: TermId, b: TermId, signed: bool) -> Text {
        if let Some(name) = self.bit_field(op, a, b) {
            return (name, ATOM);
        }
        let width = self.width(t);
        if let Some(text) = self.difference(op, a, b) {
            return self.adjust(text, true, signed, width);
        }
        if op == BinaryOp::Add
            && let Some(value) = self.constant(b)
        {
            return self.offset(a, signed_value(value, width), signed, width);
        }
        match op {
            BinaryOp::Add => self.modular(a, Some(b), "+", SUM, signed, width),
            BinaryOp::Sub => self.modular(a, Some(b), "-", SUM, signed, width),
            BinaryOp::Mul => self.modular(a, Some(b), "*", PRODUCT, signed, width),
            BinaryOp::And => self.modular(a, Some(b), "&", BIT_AND, signed, width),
            BinaryOp::Or => self.modular(a, Some(b), "|", BIT_OR, signed, width),
            BinaryOp::Xor => self.modular(a, Some(b), "^", BIT_XOR, signed, width),
            BinaryOp::Shl => {
                let natural = self.reads_signed(a);
                let text =
                    self.binary(self.wide_enough(a, None, natural, width), "<<", self.value(b, false, None), SHIFT);
                if width < 32 { self.narrowed(text, width, signed) } else { self.adjust(text, natural, signed, width) }
            }
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::LShr => {
                let (operator, binds) = match op {
                    BinaryOp::UDiv => ("/", PRODUCT),
                    BinaryOp::URem => ("%", PRODUCT),
                    _ => (">>", SHIFT),
                };
                let text = self.binary(self.value(a, false, None), operator, self.value(b, false, None), binds);
                self.adjust(text, false, signed, width)
            }
            BinaryOp::SDiv | BinaryOp::SRem | BinaryOp::AShr => {
                let (operator, binds) = match op {
                    BinaryOp::SDiv => ("/", PRODUCT),
                    BinaryOp::SRem => ("%", PRODUCT),
                    _ => (">>", SHIFT),
                };
                let by = self.value(b, op != BinaryOp::AShr, None);
                let text = self.binary(self.value(a, true, None), operator, by, binds);
                self.adjust(text, true, signed, width)
            }
        }
    }

    /// Whether the run has values with which a signed operation would overflow: the program must have computed without a
    /// sign.
    fn wraps(&self, a: TermId, operator: &str, b: Option<i128>, width: u32) -> bool {
        let Some((a, b)) = self.signed_in_run(a).zip(b) else { return false };
        let exact = match operator {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            _ => return false,
        };
        let bound = 1i128 << (width - 1);
        exact.is_none_or(|exact| !(-bound..bound).contains(&exact))
    }

    /// The value of a term in the run, read with a sign.
    fn signed_in_run(&self, t: TermId) -> Option<i128> {
        let value = self.names.trace.terms.evaluate(t, &mut |v| self.position.values[v.0 as usize])?;
        Some(signed_value(value.raw(), self.width(t)))
    }

    /// A value plus a constant.
    fn offset(&self, a: TermId, count: i128, signed: bool, width: u32) -> Text {
        let operator = if count < 0 { "-" } else { "+" };
        let natural = self.reads_signed(a) && !self.wraps(a, "+", Some(count), width);
        let number = (count.unsigned_abs().to_string(), ATOM);
        let text = self.binary(self.wide_enough(a, None, natural, width), operator, number, SUM);
        if width < 32 { self.narrowed(text, width, signed) } else { self.adjust(text, natural, signed, width) }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{Fixture, INT, PAIR, UNSIGNED};
    use wherefore_formula::BinaryOp;
    use wherefore_trace::Storage;

    #[test]
    fn a_struct_in_a_register_has_members() {
        let mut fixture = Fixture::new();
        let result = fixture.variable(Storage::Result { activation: 1 }, PAIR);
        let result = fixture.term(result);
        let terms = &mut fixture.trace.terms;
        let (hi, lo) = (terms.extract(result, 32, 32), terms.extract(result, 0, 32));
        let order = terms.sle(hi, lo);
        assert_eq!(fixture.text(&[order]), "f().hi <= f().lo");
    }

    #[test]
    fn readings_are_casts() {
        let mut fixture = Fixture::new();
        let (x, u) = (fixture.local(0, "x", INT, 3, &[]), fixture.local(0, "u", UNSIGNED, 4, &[]));
        let (x, u) = (fixture.term(x), fixture.term(u));
        let terms = &mut fixture.trace.terms;
        let seven = terms.bits(32, 7);
        let (signed, unsigned) = (terms.sle(u, seven), terms.ule(x, seven));
        assert_eq!(fixture.text(&[signed]), "(int)u <= 7");
        assert_eq!(fixture.text(&[unsigned]), "(unsigned)x <= 7");
    }

    #[test]
    fn a_large_unsigned_constant_is_no_long() {
        let mut fixture = Fixture::new();
        let u = fixture.local(0, "u", UNSIGNED, 4, &[]);
        let u = fixture.term(u);
        let terms = &mut fixture.trace.terms;
        let (large, small) = (terms.bits(32, 4_294_967_244), terms.bits(32, 52));
        let (wraps, stays) = (terms.binary(BinaryOp::Mul, u, large), terms.binary(BinaryOp::Mul, u, small));
        let (wraps, stays) = (terms.ult(u, wraps), terms.ult(u, stays));
        assert_eq!(fixture.text(&[wraps]), "u < u * 4294967244u");
        assert_eq!(fixture.text(&[stays]), "u < u * 52");
    }
}
