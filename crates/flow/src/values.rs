//! Values: operands and operations as terms.

use crate::Kind;
use crate::builder::{Builder, Cell, Here};
use crate::function::Frame;
use crate::memory::FIRST_FUNCTION;
use wherefore_automata::Statement;
use wherefore_formula::TermId;
use wherefore_program::{BinaryOp, Operand, Operation};

impl Builder<'_> {
    /// Any value, since nobody knows which.
    pub fn anything(&mut self, here: &mut Here, bits: u32, why: &str) -> TermId {
        self.note(here.at, why);
        self.saved += 1;
        let var = self.unnamed(Cell::Saved(self.saved), bits);
        self.step(here, Statement::Havoc { to: var }, Kind::Internal);
        self.value_of(var)
    }

    /// The value of an operand.
    pub fn operand(&mut self, frame: &Frame, operand: &Operand) -> TermId {
        let terms = &mut self.graph.terms;
        match operand {
            Operand::Register(register) => match frame.registers.get(register) {
                Some(value) => *value,
                None => {
                    let bits = self.program.functions[frame.function.index()].registers[register.index()];
                    let var = self.unnamed(Cell::Register(frame.call, *register), bits);
                    self.value_of(var)
                }
            },
            Operand::Constant { bits, value } => terms.bits(*bits, *value),
            Operand::Global(global, offset) => {
                let address = self.base(global.0).wrapping_add_signed(*offset);
                self.graph.terms.bits(64, u128::from(address))
            }
            Operand::Local(local, offset) => {
                let base = frame.objects.get(local).map_or(0, |object| self.base(*object));
                self.graph.terms.bits(64, u128::from(base.wrapping_add_signed(*offset)))
            }
            Operand::Function(function) => terms.bits(64, u128::from(FIRST_FUNCTION + 16 * u64::from(function.0))),
            Operand::External(_) => {
                self.note(None, "an address of the library is used");
                self.graph.terms.bits(64, 1)
            }
            Operand::Undefined { bits } => {
                let bits = *bits;
                self.note(None, "something that C leaves open is used");
                self.graph.terms.bits(bits, 0)
            }
        }
    }

    pub fn operation(&mut self, frame: &Frame, here: &mut Here, operation: &Operation, bits: u32) -> TermId {
        if let Operation::Binary { op, left, right, .. } = operation {
            let (a, b) = (self.operand(frame, left), self.operand(frame, right));
            return self.binary(here, *op, a, b);
        }
        let operands: Vec<TermId> = operation.operands().into_iter().map(|o| self.operand(frame, o)).collect();
        let mut next = operands.into_iter();
        let term =
            wherefore_meaning::term(&mut self.graph.terms, operation, bits, |_, _| next.next().expect("one each"));
        match term {
            Some((value, _)) => value,
            None => self.anything(here, bits, "what is computed here is not followed"),
        }
    }

    /// Integer arithmetic as the machine does it: sums wrap, shifts look at the low bits of their amount only.
    fn binary(&mut self, here: &mut Here, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let terms = &mut self.graph.terms;
        let width = terms.width(a);
        let mut b = b;
        match op {
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => {
                let zero = terms.bits(width, 0);
                let mut wrong = terms.eq(b, zero);
                if matches!(op, BinaryOp::SDiv | BinaryOp::SRem) {
                    let (smallest, minus_one) = (terms.bits(width, 1 << (width - 1)), terms.bits(width, u128::MAX));
                    let (x, y) = (terms.eq(a, smallest), terms.eq(b, minus_one));
                    let too_large = terms.and2(x, y);
                    wrong = terms.or2(wrong, too_large);
                }
                self.crash_if(here, wrong);
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if width.is_power_of_two() && width >= 32 => {
                let mask = terms.bits(width, u128::from(width - 1));
                b = terms.binary(wherefore_formula::BinaryOp::And, b, mask);
            }
            _ => {}
        }
        let open = || Operand::Undefined { bits: width };
        let operation =
            Operation::Binary { op, left: open(), right: open(), no_signed_wrap: false, no_unsigned_wrap: false };
        let mut operands = [a, b].into_iter();
        let term =
            wherefore_meaning::term(&mut self.graph.terms, &operation, width, |_, _| operands.next().expect("two"));
        term.expect("arithmetic has a meaning").0
    }
}
