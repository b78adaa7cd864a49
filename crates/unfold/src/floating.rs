//! Which values are floating point numbers: the bits alone do not tell.

use crate::state::Unfolder;
use wherefore_formula::{FloatOp, Node, TermId, Terms};
use wherefore_program::{CType, Callee, Command, GlobalId, Operand, Place, Point, Slot, TypeId};

/// Objects of more scalars than this are not looked through.
const MOST_SCALARS: usize = 10_000;

impl Unfolder<'_> {
    /// Whether a value at a point is a floating point number, as far as C types and what computes it tell.
    pub fn is_floating(&self, point: &Point, value: TermId) -> bool {
        let function = &self.program.functions[point.function.index()];
        let bits = self.terms.width(value);
        let typed = match (point.slot, self.command_at(point)) {
            (Slot::Result, _) => self.holds_floating(function.result_type, 0, bits),
            (Slot::Value, Some(Command::Store { place, .. })) => match place {
                Place::Local(local, at) => self.holds_floating(function.locals[local.index()].ctype, *at, bits),
                Place::Memory(Operand::Local(local, at)) => {
                    self.holds_floating(function.locals[local.index()].ctype, *at as u64, bits)
                }
                Place::Memory(Operand::Global(global, at)) => self.global_holds_floating(*global, *at as u64, bits),
                Place::Memory(_) => false,
            },
            (Slot::Argument(n), Some(Command::Call { callee: Callee::Function(callee), .. })) => {
                let parameters = &self.program.functions[callee.index()].locals;
                parameters.iter().any(|l| l.param == Some(n) && self.holds_floating(l.ctype, 0, bits))
            }
            _ => false,
        };
        typed || is_computed_so(&self.terms, value)
    }

    /// Whether a global has a floating point number of so many bits at an offset.
    pub fn global_holds_floating(&self, global: GlobalId, at: u64, bits: u32) -> bool {
        self.holds_floating(self.program.globals[global.index()].ctype, at, bits)
    }

    fn holds_floating(&self, ctype: Option<TypeId>, at: u64, width: u32) -> bool {
        let types = &self.program.types;
        let Some(scalars) = ctype.and_then(|ctype| types.scalars(ctype, MOST_SCALARS)) else { return false };
        let is_it = |ctype: TypeId| matches!(types[ctype], CType::Float { bits } if bits == width);
        scalars.iter().any(|(offset, ctype)| *offset == at && is_it(*ctype))
    }
}

/// Whether the result of a floating point operation comes out.
fn is_computed_so(terms: &Terms, value: TermId) -> bool {
    match terms.node(value) {
        Node::Float(op, _) => !matches!(op, FloatOp::ToSigned { .. } | FloatOp::ToUnsigned { .. }),
        Node::Ite(_, a, b) => {
            [*a, *b].into_iter().any(|part| matches!(terms.node(part), Node::Float(..)) && is_computed_so(terms, part))
        }
        _ => false,
    }
}
