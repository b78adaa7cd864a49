//! Names of variables and C text of formulas, as they read at a position of the trace.

use crate::lvalue::{bit_field, part, path};
use crate::memory::ObjectKind;
use crate::model::{Storage, Trace};
use crate::reach::{Pointers, pointed};
use std::collections::HashMap;
use wherefore_formula::{BinaryOp, CompareOp, FloatOp, Node, Sort, TermId, VarId};
use wherefore_program::{CType, Program, TypeId};

/// From where names are seen.
#[derive(Copy, Clone)]
pub struct Position<'a> {
    /// The activation whose names are plain.
    pub activation: u32,
    /// The recorded state.
    pub values: &'a [Option<u128>],
}

/// Gives names and C text.
pub struct Names<'a> {
    program: &'a Program,
    trace: &'a Trace,
    pointers: Pointers,
}

/// How deep pointers are followed for a name.
const DEPTH: usize = 6;

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
use strength::*;

/// Text with its binding strength.
type Text = (String, u8);

impl<'a> Names<'a> {
    /// Names for a trace of a program.
    pub fn new(program: &'a Program, trace: &'a Trace) -> Self {
        Names { program, trace, pointers: Pointers::new(program, trace) }
    }

    /// The name of a variable.
    pub fn variable(&self, v: VarId, position: Position) -> String {
        self.name(v, position, 0)
    }

    /// A value of a variable as C writes it.
    pub fn value(&self, v: VarId, value: u128) -> String {
        let variable = &self.trace.variables[v.0 as usize];
        self.number(value, variable.bits, variable.ctype, variable.bits != 64)
    }

    /// A conjunction as a C expression; `true` when it is empty.
    pub fn conjunction(&self, atoms: &[TermId], position: Position) -> String {
        if atoms.is_empty() {
            return "true".into();
        }
        let names = self.distinct(atoms, position);
        let printer = Printer { names: self, position, distinct: names, strict: false };
        let mut texts: Vec<(u32, String)> = atoms
            .iter()
            .map(|a| {
                let first = self.trace.terms.variables(*a).first().map_or(0, |v| v.0);
                (first, parenthesised(printer.formula(*a), AND))
            })
            .collect();
        texts.sort_by_key(|t| t.0);
        texts.into_iter().map(|t| t.1).collect::<Vec<_>>().join(" && ")
    }

    /// A condition, as close to how it was written as its meaning allows.
    pub fn condition(&self, condition: TermId, position: Position) -> String {
        let printer = Printer { names: self, position, distinct: self.distinct(&[condition], position), strict: true };
        printer.formula(condition).0
    }

    /// Names of the variables in formulas, told apart where C's names are the same.
    fn distinct(&self, atoms: &[TermId], position: Position) -> HashMap<VarId, String> {
        let mut names: HashMap<VarId, String> = HashMap::new();
        for v in atoms.iter().flat_map(|a| self.trace.terms.variables(*a)) {
            names.insert(v, self.variable(v, position));
        }
        let mut count: HashMap<String, usize> = HashMap::new();
        for name in names.values() {
            *count.entry(name.clone()).or_default() += 1;
        }
        for (v, name) in &mut names {
            let shadowed = self.is_hidden(*v, name, position);
            let own = self.through_pointer(*v, position).is_none();
            if (count[name] > 1 && own || shadowed)
                && let Some(owner) = self.owner(*v, position)
            {
                *name = format!("{owner}::{name}");
            }
        }
        names
    }

    /// Whether another variable of the position's function has the name.
    fn is_hidden(&self, v: VarId, name: &str, position: Position) -> bool {
        let Some(activation) = self.activation_of(v) else {
            let function = self.trace.activations.get(position.activation as usize).map(|a| a.function);
            let locals = function.map(|f| &self.program.functions[f.index()].locals);
            return matches!(self.trace.variables[v.0 as usize].storage, Storage::Global { .. })
                && locals.is_some_and(|l| l.iter().any(|l| l.name.as_deref() == Some(name)));
        };
        if activation == position.activation || self.through_pointer(v, position).is_some() {
            return false;
        }
        let function = self.trace.activations[position.activation as usize].function;
        let root = name.split(['.', '[', '-']).next().unwrap_or(name);
        self.program.functions[function.index()].locals.iter().any(|l| l.name.as_deref() == Some(root))
    }

    fn activation_of(&self, v: VarId) -> Option<u32> {
        match self.trace.variables[v.0 as usize].storage {
            Storage::Local { activation, .. } | Storage::Result { activation } => Some(activation),
            Storage::Saved { of } => self.activation_of(of),
            _ => None,
        }
    }

    /// The function a variable belongs to, with the depth of the activation when it is recursive.
    fn owner(&self, v: VarId, position: Position) -> Option<String> {
        let Some(activation) = self.activation_of(v) else {
            return matches!(self.trace.variables[v.0 as usize].storage, Storage::Global { .. }).then(String::new);
        };
        if activation == position.activation {
            return None;
        }
        let function = self.trace.activations[activation as usize].function;
        let name = &self.program.functions[function.index()].name;
        let callers = std::iter::successors(Some(activation), |a| self.trace.activations[*a as usize].caller);
        let depth = callers.filter(|a| self.trace.activations[*a as usize].function == function).count();
        let recursive = self.trace.activations.iter().filter(|a| a.function == function).count() > 1;
        Some(if recursive { format!("{name}#{depth}") } else { name.clone() })
    }

    /// The name of a caller's variable by a pointer of the current function.
    fn through_pointer(&self, v: VarId, position: Position) -> Option<String> {
        let Storage::Local { activation, .. } = self.trace.variables[v.0 as usize].storage else { return None };
        if activation == position.activation {
            return None;
        }
        let named = |p: VarId| self.name(p, position, DEPTH);
        let (program, trace) = (self.program, self.trace);
        self.pointers.through_pointer(program, trace, v, position.activation, position.values, named)
    }

    fn name(&self, v: VarId, position: Position, depth: usize) -> String {
        if depth == 0
            && let Some(name) = self.through_pointer(v, position)
        {
            return name;
        }
        let variable = &self.trace.variables[v.0 as usize];
        let bits = u64::from(variable.bits);
        match &variable.storage {
            Storage::Local { activation, local, offset } => {
                let function = self.trace.activations[*activation as usize].function;
                let local = &self.program.functions[function.index()].locals[local.index()];
                match &local.name {
                    Some(name) => self.part_name(name, local.ctype, *offset, bits),
                    None => self.result_name(*activation),
                }
            }
            Storage::Global { global, offset } => {
                let global = &self.program.globals[global.index()];
                let name = global.name.clone().unwrap_or_else(|| "a string literal".into());
                self.part_name(&name, global.ctype, *offset, bits)
            }
            Storage::Heap { .. } | Storage::Foreign { .. } => self.reached_name(v, position, depth),
            Storage::Result { activation } => self.result_name(*activation),
            Storage::External { callee, .. } => format!("{callee}()"),
            Storage::Saved { of } => format!("old({})", self.name(*of, position, depth)),
            Storage::Choice { .. } => "the chosen value".into(),
        }
    }

    fn result_name(&self, activation: u32) -> String {
        let function = self.trace.activations[activation as usize].function;
        format!("{}()", self.program.functions[function.index()].name)
    }

    fn part_name(&self, name: &str, ctype: Option<TypeId>, offset: u64, bits: u64) -> String {
        if let Some((suffix, _)) = ctype.and_then(|t| part(&self.program.types, t, offset * 8, bits)) {
            return format!("{name}{suffix}");
        }
        let whole = ctype.and_then(|t| self.program.types.size(t)).map(|s| s * 8);
        if offset == 0 && (whole.is_none() || whole == Some(bits)) {
            return name.to_string();
        }
        format!("*({} *)((char *)&{name} + {offset})", c_type_of(bits))
    }

    /// The name of memory that has none: by a pointer expression that reaches it now.
    fn reached_name(&self, v: VarId, position: Position, depth: usize) -> String {
        let variable = &self.trace.variables[v.0 as usize];
        let address = variable.address.unwrap_or(0);
        if depth == 0
            && let Storage::Heap { object, .. } = variable.storage
        {
            let named = |v: VarId| self.name(v, position, DEPTH);
            let ways = self.pointers.ways(self.program, self.trace, position.activation, position.values, named);
            if let Some(text) = ways.get(&object).and_then(|w| w.name(self.program, self.trace, v)) {
                return text;
            }
        }
        if depth < DEPTH {
            let reaches = |p: &&TermId| {
                let value = self.trace.terms.evaluate(**p, &mut |u| position.values[u.0 as usize]);
                value.is_some_and(|x| x.raw() as u64 == address)
            };
            let text = variable.paths.iter().rev().filter(reaches).find_map(|p| self.lvalue(*p, v, position, depth));
            if let Some(text) = text {
                return text;
            }
        }
        match variable.storage {
            Storage::Heap { object, offset } => {
                let object = &self.trace.objects[object as usize];
                let line = match object.kind {
                    ObjectKind::Heap { at: Some(at), .. } => at.line,
                    _ => 0,
                };
                format!("byte {offset} of the memory allocated in line {line}")
            }
            _ => format!("*({} *){address:#x}", c_type_of(u64::from(variable.bits))),
        }
    }

    /// A pointer expression as an lvalue.
    fn lvalue(&self, pointer: TermId, v: VarId, position: Position, depth: usize) -> Option<String> {
        let bits = u64::from(self.trace.variables[v.0 as usize].bits);
        let path = path(self.program, &self.trace.terms, &self.trace.variables, pointer)?;
        if path.base == v {
            return None;
        }
        let base = self.name(path.base, position, depth + 1);
        let base = match self.activation_of(path.base).filter(|a| *a != position.activation) {
            Some(_) => self.owner(path.base, position).map_or(base.clone(), |owner| format!("{owner}::{base}")),
            None => base,
        };
        let (element, within) = path.element(&self.program.types)?;
        let (suffix, _) = part(&self.program.types, path.target, within * 8, bits)?;
        let index = match path.index {
            None if element == 0 && bits > 8 => String::new(),
            None => element.to_string(),
            Some((index, _)) => {
                let value = self.trace.terms.evaluate(index, &mut |u| position.values[u.0 as usize])?;
                let number = signed_value(value.raw(), self.trace.terms.width(index));
                (number + i128::from(element)).to_string()
            }
        };
        Some(pointed(&base, &index, &suffix))
    }

    /// A number of a type.
    fn number(&self, value: u128, bits: u32, ctype: Option<TypeId>, signed: bool) -> String {
        match ctype.map(|t| &self.program.types[t]) {
            Some(CType::Pointer(_)) => self.address(value as u64),
            Some(CType::Float { bits: 32 }) => float_text(f64::from(f32::from_bits(value as u32))),
            Some(CType::Float { bits: 64 }) => float_text(f64::from_bits(value as u64)),
            Some(CType::Bool) if value < 2 => (if value == 1 { "true" } else { "false" }).into(),
            Some(CType::Enum { constants, signed, .. }) => {
                let number = if *signed { signed_value(value, bits) } else { value as i128 };
                let named = constants.iter().find(|(_, c)| *c == number).map(|(n, _)| n.clone());
                named.unwrap_or_else(|| number.to_string())
            }
            Some(CType::Integer { name, signed, .. }) => {
                let number = if *signed { signed_value(value, bits) } else { value as i128 };
                match number {
                    32..=126 if name == "char" => format!("'{}'", (value as u8 as char).escape_default()),
                    _ => number.to_string(),
                }
            }
            _ if signed => signed_value(value, bits).to_string(),
            _ if bits == 64 && value > 1 << 20 => self.address(value as u64),
            _ => value.to_string(),
        }
    }

    /// An address: of a named object where there is one.
    fn address(&self, address: u64) -> String {
        if address == 0 {
            return "NULL".into();
        }
        if let Some(function) = self.trace.functions.iter().position(|f| *f == address) {
            return self.program.functions[function].name.clone();
        }
        for object in self.trace.objects.iter().skip(1).rev() {
            if object.base == 0 || address < object.base || address - object.base >= object.size.max(1) {
                continue;
            }
            let offset = address - object.base;
            let (name, ctype) = match object.kind {
                ObjectKind::Global(g) => {
                    let global = &self.program.globals[g.index()];
                    match &global.name {
                        Some(name) => (name.clone(), global.ctype),
                        None => break,
                    }
                }
                ObjectKind::Local { activation, local, ctype } => {
                    let function = self.trace.activations[activation as usize].function;
                    match &self.program.functions[function.index()].locals[local.index()].name {
                        Some(name) => (name.clone(), ctype),
                        None => break,
                    }
                }
                _ => break,
            };
            let is_array = ctype.is_some_and(|t| matches!(self.program.types[t], CType::Array { .. }));
            return match (offset, is_array) {
                (0, true) => name,
                (0, false) => format!("&{name}"),
                (_, true) => format!("{name} + {}", self.elements(ctype, offset)),
                _ => format!("(char *)&{name} + {offset}"),
            };
        }
        format!("{address:#x}")
    }

    fn elements(&self, array: Option<TypeId>, offset: u64) -> u64 {
        match array.map(|t| &self.program.types[t]) {
            Some(CType::Array { element, .. }) => {
                self.program.types.size(*element).filter(|s| *s > 0).map_or(offset, |s| offset / s)
            }
            _ => offset,
        }
    }
}

fn c_type_of(bits: u64) -> &'static str {
    match bits {
        8 => "char",
        16 => "short",
        32 => "int",
        _ => "long",
    }
}

/// Bits as a two's complement number.
fn signed_value(value: u128, bits: u32) -> i128 {
    if bits < 128 && value >> (bits - 1) & 1 == 1 { value as i128 - (1i128 << bits) } else { value as i128 }
}

fn float_text(value: f64) -> String {
    if value == value.trunc() && value.abs() < 1e15 { format!("{value:.1}") } else { format!("{value:?}") }
}

fn parenthesised((text, binds): Text, at_least: u8) -> String {
    if binds < at_least { format!("({text})") } else { text }
}

struct Printer<'n, 'a> {
    names: &'n Names<'a>,
    position: Position<'n>,
    distinct: HashMap<VarId, String>,
    /// Print `x < 0` as it is rather than as `x <= -1`.
    strict: bool,
}

impl Printer<'_, '_> {
    fn node(&self, t: TermId) -> &Node {
        self.names.trace.terms.node(t)
    }

    fn name(&self, v: VarId) -> String {
        self.distinct.get(&v).cloned().unwrap_or_else(|| self.names.variable(v, self.position))
    }

    fn binary(&self, left: Text, operator: &str, right: Text, binds: u8) -> Text {
        let text = format!("{} {operator} {}", parenthesised(left, binds), parenthesised(right, binds + 1));
        (text, binds)
    }

    /// A formula.
    fn formula(&self, t: TermId) -> Text {
        match self.node(t) {
            Node::True => ("true".into(), ATOM),
            Node::False => ("false".into(), ATOM),
            Node::And(items) => self.list(items, " && ", AND),
            Node::Or(items) => self.list(items, " || ", OR),
            Node::Not(inner) => match self.node(*inner) {
                Node::Eq(a, b) => self.equality(*a, "!=", *b),
                _ => (format!("!{}", parenthesised(self.formula(*inner), UNARY)), UNARY),
            },
            Node::Eq(a, b) => self.equality(*a, "==", *b),
            Node::Compare(op, a, b) => self.order(*op, *a, *b),
            Node::Ite(c, a, b) => self.choice(self.formula(*c), self.formula(*a), self.formula(*b)),
            Node::Float(op, items) => self.float_formula(*op, items),
            _ => self.bits(t, None),
        }
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
        if self.names.trace.terms.sort(a) == Sort::Bool {
            return self.binary(self.formula(a), operator, self.formula(b), EQUAL);
        }
        let one_bit = self.names.trace.terms.width(a) == 1;
        if let Some(value) = self.names.trace.terms.constant(b)
            && (one_bit || matches!(self.ctype(a), Some(CType::Bool)))
        {
            let text = self.bits(a, None);
            return if (value == 1) == (operator == "==") {
                text
            } else {
                (format!("!{}", parenthesised(text, UNARY)), UNARY)
            };
        }
        let hint = self.type_id(a).or(self.type_id(b));
        self.binary(self.bits(a, hint), operator, self.bits(b, hint), EQUAL)
    }

    /// Constants stand on the right, and bounds include their number.
    fn order(&self, op: CompareOp, a: TermId, b: TermId) -> Text {
        let terms = &self.names.trace.terms;
        let width = terms.width(a);
        let largest = |signed| if signed { (1u128 << (width - 1)) - 1 } else { u128::MAX >> (128 - width) };
        let smallest = |signed| if signed { 1u128 << (width - 1) } else { 0 };
        let all_ones = u128::MAX >> (128 - width);
        let signed = op.is_signed();
        if self.strict {
            let (left, right) = (terms.constant(a), terms.constant(b));
            let operator = match (op.is_strict(), left.is_some()) {
                (true, false) => "<",
                (false, false) => "<=",
                (true, true) => ">",
                (false, true) => ">=",
            };
            return match (left, right) {
                (Some(value), _) => {
                    let text = self.constant(value, width, signed, b);
                    self.binary(self.operand(b, signed), operator, text, ORDER)
                }
                (None, Some(value)) => {
                    let text = self.constant(value, width, signed, a);
                    self.binary(self.operand(a, signed), operator, text, ORDER)
                }
                (None, None) => self.binary(self.operand(a, signed), operator, self.operand(b, signed), ORDER),
            };
        }
        if let Some(value) = terms.constant(b)
            && op.is_strict()
            && value != smallest(signed)
        {
            let text = self.constant(value.wrapping_sub(1) & all_ones, width, signed, a);
            return self.binary(self.operand(a, signed), "<=", text, ORDER);
        }
        if let Some(value) = terms.constant(a) {
            let value = if op.is_strict() && value != largest(signed) { (value + 1) & all_ones } else { value };
            let text = self.constant(value, width, signed, b);
            return self.binary(self.operand(b, signed), ">=", text, ORDER);
        }
        if let Some(value) = terms.constant(b) {
            let text = self.constant(value, width, signed, a);
            return self.binary(self.operand(a, signed), "<=", text, ORDER);
        }
        let operator = if op.is_strict() { "<" } else { "<=" };
        self.binary(self.operand(a, signed), operator, self.operand(b, signed), ORDER)
    }

    fn constant(&self, value: u128, width: u32, signed: bool, other: TermId) -> Text {
        let hint = self.type_id(other).filter(|t| {
            let ctype = &self.names.program.types[*t];
            matches!(ctype, CType::Enum { .. } | CType::Pointer(_))
                || matches!(ctype, CType::Integer { signed: s, bits, name } if *s == signed && *bits == width && name == "char")
        });
        let number = self.names.number(value, width, hint, signed);
        let text = if hint.is_none() && !signed { value.to_string() } else { number };
        let binds = if text.starts_with('-') { UNARY } else { ATOM };
        (text, binds)
    }

    /// An operand of an order, cast where its type compares the other way.
    fn operand(&self, t: TermId, signed: bool) -> Text {
        let text = self.bits(t, None);
        let cast = match self.ctype(t) {
            Some(CType::Integer { signed: s, .. } | CType::Enum { signed: s, .. }) => *s != signed,
            _ => false,
        };
        let width = self.names.trace.terms.width(t);
        if !cast || matches!(self.node(t), Node::Const { .. }) {
            return text;
        }
        let name = c_type_of(u64::from(width));
        let name = if signed { name.to_string() } else { format!("unsigned {name}") };
        (format!("({name}){}", parenthesised(text, UNARY)), UNARY)
    }

    /// What a choice chose.
    fn definition(&self, v: VarId) -> Option<TermId> {
        self.names.trace.variables[v.0 as usize].definition
    }

    fn type_id(&self, t: TermId) -> Option<TypeId> {
        match self.node(t) {
            Node::Var(v, _) => self.names.trace.variables[v.0 as usize].ctype,
            Node::SignExtend(a, _) | Node::ZeroExtend(a, _) => self.type_id(*a),
            Node::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => self.type_id(*a).or(self.type_id(*b)),
            _ => None,
        }
    }

    fn ctype(&self, t: TermId) -> Option<&CType> {
        self.type_id(t).map(|t| &self.names.program.types[t])
    }

    /// A value of bits; `hint` is the type a constant takes from its surroundings.
    fn bits(&self, t: TermId, hint: Option<TypeId>) -> Text {
        let terms = &self.names.trace.terms;
        match self.node(t) {
            Node::Const { width, value } => {
                let text = self.names.number(*value, *width, hint, *width != 64 || *value >> 63 == 1);
                let binds = if text.starts_with('-') { UNARY } else { ATOM };
                (text, binds)
            }
            Node::Var(v, _) if self.definition(*v).is_some() => self.bits(self.definition(*v).expect("checked"), hint),
            Node::Var(v, _) => {
                let name = self.name(*v);
                let binds = if name.starts_with('*') { UNARY } else { ATOM };
                (name, binds)
            }
            Node::Ite(c, a, b) => match (terms.constant(*a), terms.constant(*b)) {
                (Some(1), Some(0)) => self.formula(*c),
                _ => self.choice(self.formula(*c), self.bits(*a, hint), self.bits(*b, hint)),
            },
            Node::SignExtend(a, _) => self.bits(*a, hint),
            Node::ZeroExtend(a, _) => match self.ctype(*a) {
                Some(CType::Integer { signed: true, bits, .. }) => {
                    let name = c_type_of(u64::from(*bits));
                    (format!("(unsigned {name}){}", parenthesised(self.bits(*a, hint), UNARY)), UNARY)
                }
                _ => match self.node(*a) {
                    Node::Extract { term, low: 0, width: width @ (8 | 16 | 32) } => {
                        let name = c_type_of(u64::from(*width));
                        (format!("(unsigned {name}){}", parenthesised(self.bits(*term, None), UNARY)), UNARY)
                    }
                    _ => self.bits(*a, hint),
                },
            },
            Node::Extract { term, low: 0, width: 1 } if matches!(self.ctype(*term), Some(CType::Bool)) => {
                self.bits(*term, None)
            }
            Node::Extract { term, low, width } => {
                let inner = self.bits(*term, None);
                let shifted = if *low == 0 { inner } else { self.binary(inner, ">>", (low.to_string(), ATOM), SHIFT) };
                match width {
                    8 | 16 | 32 => {
                        let name = if *width == 8 { "signed char" } else { c_type_of(u64::from(*width)) };
                        (format!("({name}){}", parenthesised(shifted, UNARY)), UNARY)
                    }
                    _ => self.binary(shifted, "&", (format!("{:#x}", (1u128 << width) - 1), ATOM), BIT_AND),
                }
            }
            Node::Concat(high, low) => {
                let shift = terms.width(*low).to_string();
                let high = self.binary(self.bits(*high, None), "<<", (shift, ATOM), SHIFT);
                self.binary(high, "|", self.bits(*low, None), BIT_OR)
            }
            Node::BitNot(a) => (format!("~{}", parenthesised(self.bits(*a, hint), UNARY)), UNARY),
            Node::Neg(a) => (format!("-{}", parenthesised(self.bits(*a, hint), UNARY)), UNARY),
            Node::Binary(op, a, b) => self.arithmetic(*op, *a, *b, hint),
            Node::Float(op, items) => self.float_value(*op, items),
            _ => self.formula(t),
        }
    }

    /// The shifts and masks by which a bit-field is read.
    fn bit_field(&self, op: BinaryOp, a: TermId, b: TermId) -> Option<String> {
        let terms = &self.names.trace.terms;
        let amount = |t: TermId| terms.constant(t).map(|v| v as u64);
        let width = u64::from(terms.width(a));
        let (v, low, bits) = match (op, self.node(a)) {
            // Unsigned: (x >> low) & mask.
            (BinaryOp::And, Node::Binary(BinaryOp::LShr, x, by)) => {
                let mask = amount(b).filter(|m| (m + 1).is_power_of_two())?;
                (*x, amount(*by)?, u64::from(mask.count_ones()))
            }
            (BinaryOp::And, Node::Var(..)) => {
                let mask = amount(b).filter(|m| (m + 1).is_power_of_two())?;
                (a, 0, u64::from(mask.count_ones()))
            }
            (BinaryOp::LShr, Node::Var(..)) => (a, amount(b)?, width.checked_sub(amount(b)?)?),
            // Signed: (x << left) >> right.
            (BinaryOp::AShr, Node::Binary(BinaryOp::Shl, x, by)) => {
                let (left, right) = (amount(*by)?, amount(b)?);
                (*x, right.checked_sub(left)?, width.checked_sub(right)?)
            }
            (BinaryOp::AShr, Node::Var(..)) => (a, amount(b)?, width.checked_sub(amount(b)?)?),
            _ => return None,
        };
        let Node::Var(v, _) = self.node(v) else { return None };
        let (name, ctype, offset) = match &self.names.trace.variables[v.0 as usize].storage {
            Storage::Global { global, offset } => {
                let global = &self.names.program.globals[global.index()];
                (global.name.clone()?, global.ctype?, *offset)
            }
            Storage::Local { activation, local, offset } => {
                let function = self.names.trace.activations[*activation as usize].function;
                let local = &self.names.program.functions[function.index()].locals[local.index()];
                (local.name.clone()?, local.ctype?, *offset)
            }
            _ => return None,
        };
        bit_field(&self.names.program.types, ctype, offset * 8 + low, bits).map(|suffix| format!("{name}{suffix}"))
    }

    fn arithmetic(&self, op: BinaryOp, a: TermId, b: TermId, hint: Option<TypeId>) -> Text {
        if let Some(name) = self.bit_field(op, a, b) {
            return (name, ATOM);
        }
        let terms = &self.names.trace.terms;
        let (operator, binds) = match op {
            BinaryOp::Add => ("+", SUM),
            BinaryOp::Sub => ("-", SUM),
            BinaryOp::Mul => ("*", PRODUCT),
            BinaryOp::UDiv | BinaryOp::SDiv => ("/", PRODUCT),
            BinaryOp::URem | BinaryOp::SRem => ("%", PRODUCT),
            BinaryOp::Shl => ("<<", SHIFT),
            BinaryOp::LShr | BinaryOp::AShr => (">>", SHIFT),
            BinaryOp::And => ("&", BIT_AND),
            BinaryOp::Or => ("|", BIT_OR),
            BinaryOp::Xor => ("^", BIT_XOR),
        };
        if op == BinaryOp::Add
            && let Some(value) = terms.constant(b)
        {
            let bytes = signed_value(value, terms.width(b));
            // C counts elements where the machine counts bytes.
            let element = match self.ctype(a) {
                Some(CType::Pointer(to)) => self.names.program.types.size(*to).filter(|s| *s > 0).map_or(1, i128::from),
                _ => 1,
            };
            let count = if bytes % element == 0 { bytes / element } else { bytes };
            let operator = if count < 0 { "-" } else { "+" };
            return self.binary(self.bits(a, hint), operator, (count.unsigned_abs().to_string(), ATOM), SUM);
        }
        let hint = hint.filter(|h| !matches!(self.names.program.types[*h], CType::Pointer(_) | CType::Enum { .. }));
        self.binary(self.bits(a, hint), operator, self.bits(b, hint), binds)
    }

    fn float_operand(&self, t: TermId) -> Text {
        match self.node(t) {
            Node::Const { width: 32, value } => (float_text(f64::from(f32::from_bits(*value as u32))), ATOM),
            Node::Const { width: 64, value } => (float_text(f64::from_bits(*value as u64)), ATOM),
            _ => self.bits(t, None),
        }
    }

    fn float_formula(&self, op: FloatOp, items: &[TermId]) -> Text {
        let operand = |i: usize| self.float_operand(items[i]);
        match op {
            FloatOp::Eq => self.binary(operand(0), "==", operand(1), EQUAL),
            FloatOp::Lt => self.binary(operand(0), "<", operand(1), ORDER),
            FloatOp::Le => self.binary(operand(0), "<=", operand(1), ORDER),
            FloatOp::Unordered => (format!("isunordered({}, {})", operand(0).0, operand(1).0), ATOM),
            _ => self.float_value(op, items),
        }
    }

    fn float_value(&self, op: FloatOp, items: &[TermId]) -> Text {
        let operand = |i: usize| self.float_operand(items[i]);
        let cast = |width: u32| if width == 32 { "float" } else { "double" };
        match op {
            FloatOp::Add => self.binary(operand(0), "+", operand(1), SUM),
            FloatOp::Sub => self.binary(operand(0), "-", operand(1), SUM),
            FloatOp::Mul => self.binary(operand(0), "*", operand(1), PRODUCT),
            FloatOp::Div => self.binary(operand(0), "/", operand(1), PRODUCT),
            FloatOp::Rem => (format!("fmod({}, {})", operand(0).0, operand(1).0), ATOM),
            FloatOp::Neg => (format!("-{}", parenthesised(operand(0), UNARY)), UNARY),
            FloatOp::Abs => (format!("fabs({})", operand(0).0), ATOM),
            FloatOp::Sqrt => (format!("sqrt({})", operand(0).0), ATOM),
            FloatOp::FromSigned { width } | FloatOp::FromUnsigned { width } => {
                (format!("({}){}", cast(width), parenthesised(self.bits(items[0], None), UNARY)), UNARY)
            }
            FloatOp::Convert { width } => (format!("({}){}", cast(width), parenthesised(operand(0), UNARY)), UNARY),
            FloatOp::ToSigned { width } => {
                (format!("({}){}", c_type_of(u64::from(width)), parenthesised(operand(0), UNARY)), UNARY)
            }
            FloatOp::ToUnsigned { width } => {
                (format!("(unsigned {}){}", c_type_of(u64::from(width)), parenthesised(operand(0), UNARY)), UNARY)
            }
            FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered => self.float_formula(op, items),
        }
    }
}
