//! Pointer expressions taken apart: a pointer, elements and bytes.

use crate::builder::part_type;
use crate::model::Variable;
use wherefore_formula::{BinaryOp, Node, TermId, Terms, VarId};
use wherefore_program::{CType, Program, TypeId, Types};

/// A pointer expression taken apart: a pointer variable, elements counted by an expression, and bytes.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Path {
    /// The pointer.
    pub base: VarId,
    /// What it points to.
    pub target: TypeId,
    /// An index and the size it is multiplied by.
    pub index: Option<(TermId, u64)>,
    /// Bytes.
    pub offset: i64,
}

/// Take a pointer expression apart; `None` when it is not a pointer variable plus something.
pub fn path(program: &Program, terms: &Terms, variables: &[Variable], pointer: TermId) -> Option<Path> {
    let mut base = None;
    let mut index = None;
    let mut offset = 0i64;
    let mut work = vec![pointer];
    while let Some(part) = work.pop() {
        match terms.node(part) {
            Node::Binary(BinaryOp::Add, a, b) => work.extend([*b, *a]),
            Node::Const { value, .. } => offset = offset.wrapping_add(*value as i64),
            Node::Var(v, _) if base.is_none() && pointee(program, &variables[v.0 as usize]).is_some() => {
                base = Some(*v);
            }
            Node::Binary(BinaryOp::Mul, a, b) if index.is_none() => index = Some((*a, terms.constant(*b)? as u64)),
            Node::Binary(BinaryOp::Shl, a, b) if index.is_none() => index = Some((*a, 1u64 << terms.constant(*b)?)),
            _ if index.is_none() => index = Some((part, 1)),
            _ => return None,
        }
    }
    let base = base?;
    Some(Path { base, target: pointee(program, &variables[base.0 as usize])?, index, offset })
}

fn pointee(program: &Program, variable: &Variable) -> Option<TypeId> {
    match program.types[variable.ctype?] {
        CType::Pointer(to) => Some(to),
        _ => None,
    }
}

impl Path {
    /// Which element of the pointed-to type, when the index counts elements: constant part and bytes within the element.
    pub fn element(&self, types: &Types) -> Option<(i64, u64)> {
        if types.is_open_ended(self.target) {
            return self.index.is_none().then_some((0, u64::try_from(self.offset).ok()?));
        }
        let size = types.size(self.target).filter(|s| *s > 0)? as i64;
        if self.index.is_some_and(|(_, scale)| scale as i64 != size) {
            return None;
        }
        Some((self.offset.div_euclid(size), self.offset.rem_euclid(size) as u64))
    }

    /// The C type of what is there, `bits` wide.
    pub fn ctype(&self, program: &Program, bits: u32) -> Option<TypeId> {
        // Whatever the index is, all elements of the last member have one type.
        let within = match program.types.is_open_ended(self.target) {
            true => u64::try_from(self.offset).ok()?,
            false => self.element(&program.types)?.1,
        };
        part_type(program, self.target, within * 8, u64::from(bits))
    }
}
