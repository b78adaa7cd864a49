//! Expressions as registers. A boolean has one bit; nothing branches, since every operator has a value for all values of
//! its operands but two: a division, and a cell of a map. Where these do not matter (`y != 0 && x div y > 1`) they are
//! given operands that do no harm.

use super::body::Body;
use crate::core::{Builtin, Expr, Kind, Var};
use crate::syntax::Op;
use crate::types::Type;
use wherefore_program::{
    BinaryOp, CastOp, Command, CompareOp, GlobalId, LocalId, Member, Operand, Operation, Origin, Place,
};

type At = Option<Origin>;

impl Body<'_> {
    fn binary(&mut self, bits: u32, op: BinaryOp, left: Operand, right: Operand, at: At) -> Operand {
        let value = Operation::Binary { op, left, right, no_signed_wrap: false, no_unsigned_wrap: false };
        self.blocks.define(bits, value, at)
    }

    /// Arithmetic that must not overflow.
    fn exact(&mut self, op: BinaryOp, left: Operand, right: Operand, at: At) -> Operand {
        let value = Operation::Binary { op, left, right, no_signed_wrap: true, no_unsigned_wrap: false };
        self.blocks.define(64, value, at)
    }

    fn compare(&mut self, op: CompareOp, left: Operand, right: Operand, at: At) -> Operand {
        self.blocks.define(1, Operation::Compare(op, left, right), at)
    }

    fn select(&mut self, bits: u32, condition: Operand, then: Operand, otherwise: Operand, at: At) -> Operand {
        self.blocks.define(bits, Operation::Select(condition, then, otherwise), at)
    }

    fn not(&mut self, value: Operand, at: At) -> Operand {
        self.binary(1, BinaryOp::Xor, value, constant(1, 1), at)
    }

    /// The value of an expression that is no map.
    pub(super) fn value(&mut self, expr: &Expr, at: At) -> Operand {
        let bits = expr.ty.bits().expect("a value is no map");
        match &expr.it {
            Kind::Constant(value) => constant(bits, *value),
            Kind::Variable(Var::Local(local)) if self.bound.is_some() => {
                let bound = self.bound.as_ref().expect("it is there");
                bound.locals[*local].clone()
            }
            Kind::Variable(var) => self.load(*var, &expr.ty, at),
            Kind::Old(global) => self.old_value(*global, &expr.ty, at),
            Kind::Parameter(parameter) => self.parameters[parameter].clone(),
            Kind::Inline(arguments, body) => {
                for (parameter, argument) in arguments {
                    let value = self.value(argument, at);
                    self.parameters.insert(*parameter, value);
                }
                self.value(body, at)
            }
            Kind::Not(of) => {
                let of = self.value(of, at);
                self.not(of, at)
            }
            Kind::Negate(of) => {
                let of = self.value(of, at);
                self.exact(BinaryOp::Sub, constant(64, 0), of, at)
            }
            Kind::Binary(op, left, right) => self.joined(*op, left, right, at),
            Kind::Choose(condition, then, otherwise) => {
                let condition = self.value(condition, at);
                let then = self.under(condition.clone(), then, at);
                let negated = self.not(condition.clone(), at);
                let otherwise = self.under(negated, otherwise, at);
                self.select(bits, condition, then, otherwise, at)
            }
            Kind::Cell(var, indices) => {
                let address = self.address(*var, indices, at);
                self.load_memory(address, &expr.ty, at)
            }
            Kind::Update(..) => unreachable!("only cells of a map that was changed are values"),
            Kind::Extract(of, low) => {
                let value = self.value(of, at);
                match of.ty == expr.ty {
                    true => value,
                    false => self.blocks.define(bits, Operation::Extract { value, low: *low }, at),
                }
            }
            Kind::Builtin(builtin, arguments) => {
                let values: Vec<Operand> = arguments.iter().map(|argument| self.value(argument, at)).collect();
                let width = arguments[0].ty.bits().expect("it was checked");
                self.builtin(*builtin, &values, width, bits, at)
            }
        }
    }

    /// The value of an expression that matters only where something holds.
    fn under(&mut self, holds: Operand, expr: &Expr, at: At) -> Operand {
        if !is_partial(expr) {
            return self.value(expr, at);
        }
        let outer = self.guard.clone();
        self.guard = Some(match &outer {
            Some(outer) => self.binary(1, BinaryOp::And, outer.clone(), holds, at),
            None => holds,
        });
        let value = self.value(expr, at);
        self.guard = outer;
        value
    }

    /// A value where it matters, something harmless elsewhere.
    fn guarded(&mut self, bits: u32, value: Operand, harmless: u128, at: At) -> Operand {
        match (&self.guard, &value) {
            (Some(guard), Operand::Register(_)) => {
                let guard = guard.clone();
                self.select(bits, guard, value, constant(bits, harmless), at)
            }
            _ => value,
        }
    }

    fn joined(&mut self, op: Op, left: &Expr, right: &Expr, at: At) -> Operand {
        let bits = left.ty.bits().expect("a value is no map");
        let a = self.value(left, at);
        match op {
            Op::And => {
                let b = self.under(a.clone(), right, at);
                self.binary(1, BinaryOp::And, a, b, at)
            }
            Op::Or => {
                let negated = if is_partial(right) { self.not(a.clone(), at) } else { constant(1, 1) };
                let b = self.under(negated, right, at);
                self.binary(1, BinaryOp::Or, a, b, at)
            }
            Op::Implies => {
                let b = self.under(a.clone(), right, at);
                let negated = self.not(a, at);
                self.binary(1, BinaryOp::Or, negated, b, at)
            }
            _ => {
                let b = self.value(right, at);
                match op {
                    Op::Iff | Op::Eq => self.compare(CompareOp::Eq, a, b, at),
                    Op::Ne => self.compare(CompareOp::Ne, a, b, at),
                    Op::Lt => self.compare(CompareOp::SLt, a, b, at),
                    Op::Le => self.compare(CompareOp::SLe, a, b, at),
                    Op::Gt => self.compare(CompareOp::SGt, a, b, at),
                    Op::Ge => self.compare(CompareOp::SGe, a, b, at),
                    Op::Add => self.exact(BinaryOp::Add, a, b, at),
                    Op::Sub => self.exact(BinaryOp::Sub, a, b, at),
                    Op::Mul => self.exact(BinaryOp::Mul, a, b, at),
                    Op::Div => self.euclidean(a, b, true, at),
                    Op::Mod => self.euclidean(a, b, false, at),
                    Op::Concat => {
                        let low = right.ty.bits().expect("a value is no map");
                        let wide = self.blocks.define(bits + low, Operation::Cast(CastOp::ZeroExtend, b), at);
                        self.blocks.define(bits + low, Operation::Insert { value: wide, part: a, low }, at)
                    }
                    Op::And | Op::Or | Op::Implies => unreachable!("they are above"),
                }
            }
        }
    }

    /// `div` and `mod`: the rest is never negative, whatever the signs are.
    fn euclidean(&mut self, left: Operand, right: Operand, quotient: bool, at: At) -> Operand {
        let right = self.guarded(64, right, 1, at);
        let rest = self.binary(64, BinaryOp::SRem, left.clone(), right.clone(), at);
        let negative = self.compare(CompareOp::SLt, rest.clone(), constant(64, 0), at);
        // By a positive number, the rest grows by it and the quotient is one less; by a negative one the other way.
        let (of, step) = match quotient {
            true => (self.binary(64, BinaryOp::SDiv, left, right.clone(), at), constant(64, 1)),
            false => (rest, right.clone()),
        };
        let moved = |body: &mut Self, by_positive: bool| {
            let op = if by_positive == quotient { BinaryOp::Sub } else { BinaryOp::Add };
            body.binary(64, op, of.clone(), step.clone(), at)
        };
        let changed = match right {
            Operand::Constant { value, .. } => moved(self, value as i64 >= 0),
            _ => {
                let (up, down) = (moved(self, true), moved(self, false));
                let positive = self.compare(CompareOp::SGt, right, constant(64, 0), at);
                self.select(64, positive, up, down, at)
            }
        };
        self.select(64, negative, changed, of, at)
    }

    /// Operations on bit vectors, which are defined everywhere.
    fn builtin(&mut self, builtin: Builtin, of: &[Operand], width: u32, bits: u32, at: At) -> Operand {
        let arithmetic = match builtin {
            Builtin::Not => return self.binary(bits, BinaryOp::Xor, of[0].clone(), constant(bits, u128::MAX), at),
            Builtin::Neg => return self.binary(bits, BinaryOp::Sub, constant(bits, 0), of[0].clone(), at),
            Builtin::ZeroExtend | Builtin::SignExtend if width == bits => return of[0].clone(),
            Builtin::ZeroExtend => {
                return self.blocks.define(bits, Operation::Cast(CastOp::ZeroExtend, of[0].clone()), at);
            }
            Builtin::SignExtend => {
                return self.blocks.define(bits, Operation::Cast(CastOp::SignExtend, of[0].clone()), at);
            }
            Builtin::UDiv | Builtin::URem | Builtin::SDiv | Builtin::SRem => {
                return self.divided(builtin, of[0].clone(), of[1].clone(), bits, at);
            }
            Builtin::Shl | Builtin::LShr | Builtin::AShr => {
                return self.shifted(builtin, of[0].clone(), of[1].clone(), bits, at);
            }
            Builtin::And => Ok(BinaryOp::And),
            Builtin::Or => Ok(BinaryOp::Or),
            Builtin::Xor => Ok(BinaryOp::Xor),
            Builtin::Add => Ok(BinaryOp::Add),
            Builtin::Sub => Ok(BinaryOp::Sub),
            Builtin::Mul => Ok(BinaryOp::Mul),
            Builtin::ULt => Err(CompareOp::ULt),
            Builtin::ULe => Err(CompareOp::ULe),
            Builtin::UGt => Err(CompareOp::UGt),
            Builtin::UGe => Err(CompareOp::UGe),
            Builtin::SLt => Err(CompareOp::SLt),
            Builtin::SLe => Err(CompareOp::SLe),
            Builtin::SGt => Err(CompareOp::SGt),
            Builtin::SGe => Err(CompareOp::SGe),
        };
        match arithmetic {
            Ok(op) => self.binary(bits, op, of[0].clone(), of[1].clone(), at),
            Err(op) => self.compare(op, of[0].clone(), of[1].clone(), at),
        }
    }

    /// As SMT-LIB has it: by zero all ones, or the number itself as the rest; and nothing overflows.
    fn divided(&mut self, builtin: Builtin, a: Operand, b: Operand, bits: u32, at: At) -> Operand {
        let op = match builtin {
            Builtin::UDiv => BinaryOp::UDiv,
            Builtin::URem => BinaryOp::URem,
            Builtin::SDiv => BinaryOp::SDiv,
            _ => BinaryOp::SRem,
        };
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        let (zero, ones) = (constant(bits, 0), constant(bits, u128::MAX));
        let by_zero = self.compare(CompareOp::Eq, b.clone(), zero.clone(), at);
        let mut by = self.select(bits, by_zero.clone(), constant(bits, 1), b.clone(), at);
        let mut by_minus_one = None;
        if signed {
            let is = self.compare(CompareOp::Eq, b, ones.clone(), at);
            by = self.select(bits, is.clone(), constant(bits, 1), by, at);
            by_minus_one = Some(is);
        }
        let mut result = self.binary(bits, op, a.clone(), by, at);
        if let Some(is) = by_minus_one {
            let other = match op {
                BinaryOp::SDiv => self.binary(bits, BinaryOp::Sub, zero.clone(), a.clone(), at),
                _ => zero.clone(),
            };
            result = self.select(bits, is, other, result, at);
        }
        let undefined = match op {
            BinaryOp::UDiv => ones,
            BinaryOp::SDiv => {
                let negative = self.compare(CompareOp::SLt, a, zero, at);
                self.select(bits, negative, constant(bits, 1), ones, at)
            }
            _ => a,
        };
        self.select(bits, by_zero, undefined, result, at)
    }

    /// By the width or more, nothing of the number is left.
    fn shifted(&mut self, builtin: Builtin, a: Operand, by: Operand, bits: u32, at: At) -> Operand {
        // Where the width itself does not fit, no number of places is too large.
        let is_far = match u128::from(bits) < 1u128.checked_shl(bits).unwrap_or(u128::MAX) {
            true => self.compare(CompareOp::UGe, by.clone(), constant(bits, bits.into()), at),
            false => constant(1, 0),
        };
        let near = self.select(bits, is_far.clone(), constant(bits, 0), by, at);
        let (op, far) = match builtin {
            Builtin::Shl => (BinaryOp::Shl, constant(bits, 0)),
            Builtin::LShr => (BinaryOp::LShr, constant(bits, 0)),
            _ => {
                let negative = self.compare(CompareOp::SLt, a.clone(), constant(bits, 0), at);
                let sign = self.select(bits, negative, constant(bits, u128::MAX), constant(bits, 0), at);
                (BinaryOp::AShr, sign)
            }
        };
        let shifted = self.binary(bits, op, a, near, at);
        self.select(bits, is_far, far, shifted, at)
    }

    /// The address of a cell: each index within its window, which the function's `members` say.
    pub(super) fn address(&mut self, var: Var, indices: &[Expr], at: At) -> Operand {
        let ty = &self.variable(var).ty;
        let (_, of) = ty.flattened();
        let window = ty.window();
        let mut size = ty.size();
        debug_assert_eq!(window.len(), indices.len(), "only cells have addresses, of type {of}");
        let mut address = match var {
            Var::Global(id) => Operand::Global(GlobalId(id as u32), 0),
            Var::Local(id) => Operand::Local(LocalId(id as u32), 0),
        };
        for (index, count) in indices.iter().zip(&window) {
            let bits = index.ty.bits().expect("an index is no map");
            let value = self.value(index, at);
            let value = self.guarded(bits, value, 0, at);
            let value = match bits {
                64 => value,
                _ => self.blocks.define(64, Operation::Cast(CastOp::ZeroExtend, value), at),
            };
            let (start, whole) = (address.clone(), size);
            size /= count;
            let offset = self.exact(BinaryOp::Mul, value, constant(64, size.into()), at);
            address = self.exact(BinaryOp::Add, start.clone(), offset, at);
            self.blocks.members.push(Member { address: address.clone(), start, size: whole });
        }
        address
    }

    fn old_value(&mut self, global: usize, ty: &Type, at: At) -> Operand {
        if let Some(bound) = &self.bound {
            // What a procedure does not modify is as it was.
            return match bound.old.get(&global).cloned() {
                Some(before) => before,
                None => self.load(Var::Global(global), ty, at),
            };
        }
        self.wanted.insert(global);
        match self.old.get(&global).copied() {
            Some(kept) => self.load_place(Place::Local(kept, 0), ty, at),
            None => self.load(Var::Global(global), ty, at),
        }
    }

    pub(super) fn load(&mut self, var: Var, ty: &Type, at: At) -> Operand {
        match var {
            Var::Local(id) => self.load_place(Place::Local(LocalId(id as u32), 0), ty, at),
            Var::Global(id) => self.load_global(GlobalId(id as u32), ty, at),
        }
    }

    pub(super) fn load_global(&mut self, id: GlobalId, ty: &Type, at: At) -> Operand {
        self.load_place(Place::Memory(Operand::Global(id, 0)), ty, at)
    }

    fn load_memory(&mut self, address: Operand, ty: &Type, at: At) -> Operand {
        self.load_place(Place::Memory(address), ty, at)
    }

    fn load_place(&mut self, place: Place, ty: &Type, at: At) -> Operand {
        let (bits, stored) = (ty.bits().expect("no map"), ty.stored_bits().expect("no map"));
        let target = self.blocks.register(stored);
        self.blocks.command(Command::Load { target, place, logged: false, volatile: false }, at);
        match bits == stored {
            true => Operand::Register(target),
            false => self.blocks.define(bits, Operation::Cast(CastOp::Truncate, Operand::Register(target)), at),
        }
    }

    pub(super) fn store_local(&mut self, id: LocalId, ty: &Type, value: Operand, at: At) {
        self.store_place(Place::Local(id, 0), ty, value, at);
    }

    pub(super) fn store_global(&mut self, id: GlobalId, ty: &Type, value: Operand, at: At) {
        self.store_place(Place::Memory(Operand::Global(id, 0)), ty, value, at);
    }

    pub(super) fn store_memory(&mut self, address: Operand, ty: &Type, value: Operand, at: At) {
        self.store_place(Place::Memory(address), ty, value, at);
    }

    fn store_place(&mut self, place: Place, ty: &Type, value: Operand, at: At) {
        let (bits, stored) = (ty.bits().expect("no map"), ty.stored_bits().expect("no map"));
        let value = match (bits == stored, value) {
            (true, value) => value,
            (false, Operand::Constant { value, .. }) => constant(stored, value),
            (false, value) => self.blocks.define(stored, Operation::Cast(CastOp::ZeroExtend, value), at),
        };
        self.blocks.command(Command::Store { place, value, bits: stored }, at);
    }
}

/// A constant; what does not fit is cut off.
fn constant(bits: u32, value: u128) -> Operand {
    Operand::Constant { bits, value: value & (u128::MAX >> (128 - bits)) }
}

/// Whether an expression divides or reads a map, which is not possible for all values.
fn is_partial(expr: &Expr) -> bool {
    match &expr.it {
        Kind::Cell(..) => true,
        Kind::Binary(Op::Div | Op::Mod, _, right) if !matches!(right.it, Kind::Constant(1..)) => true,
        Kind::Binary(_, left, right) => is_partial(left) || is_partial(right),
        Kind::Not(of) | Kind::Negate(of) | Kind::Extract(of, _) => is_partial(of),
        Kind::Choose(a, b, c) => is_partial(a) || is_partial(b) || is_partial(c),
        Kind::Inline(arguments, body) => arguments.iter().any(|(_, argument)| is_partial(argument)) || is_partial(body),
        Kind::Builtin(_, arguments) => arguments.iter().any(is_partial),
        Kind::Constant(_) | Kind::Variable(_) | Kind::Old(_) | Kind::Parameter(_) | Kind::Update(..) => false,
    }
}
