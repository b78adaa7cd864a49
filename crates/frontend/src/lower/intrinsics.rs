//! LLVM's intrinsic functions: what clang makes of C's builtins.

use super::body::Body;
use crate::llvm::Value;
use wherefore_clib as clib;
use wherefore_program::{BinaryOp, CastOp, CompareOp, FloatBinaryOp, Operand, Operation};

/// Without meaning for the values of a program.
const IGNORED: &[&str] = &[
    "dbg.",
    "lifetime.",
    "stacksave",
    "stackrestore",
    "va_end",
    "assume",
    "prefetch",
    "donothing",
    "invariant.",
    "experimental.noalias.scope.decl",
];

impl Body<'_, '_> {
    /// A call of `llvm.name.types`.
    pub fn intrinsic(&mut self, i: Value, full_name: &str) {
        let name = full_name.strip_prefix("llvm.").unwrap_or(full_name);
        let is = |wanted: &str| name == wanted || name.strip_prefix(wanted).is_some_and(|rest| rest.starts_with('.'));
        let a = i.arguments();
        if IGNORED.iter().any(|ignored| name.starts_with(ignored)) {
            if name.starts_with("lifetime.") {
                self.scopes.marked_otherwise();
            }
            // The saved stack pointer is used by nothing but what is ignored, or stored and loaded.
            if let Some(bits) = self.whole.width(i.ty()) {
                self.values.insert(i, Operand::Undefined { bits });
            }
        } else if is("memcpy") || is("memmove") || is("memcpy.inline") {
            self.copy(a[0], a[1], a[2], !is("memmove"));
        } else if is("memset") || is("memset.inline") {
            self.fill(a[0], a[1], a[2]);
        } else if is("va_copy") {
            self.copy_bytes(a[0], a[1], 24);
        } else if is("va_start") {
            self.call_outside(i, "va_start", &a);
        } else if is("trap") || is("debugtrap") || is("ubsantrap") {
            self.call_outside(i, "llvm.trap", &[]);
        } else if is("expect") || is("expect.with.probability") || is("annotation") || is("ptr.annotation") {
            let operand = self.operand(a[0]);
            self.values.insert(i, operand);
        } else if is("threadlocal.address") {
            self.opaque(i, "the address of a thread's own variable");
        } else if is("objectsize") || is("is.constant") || is("frameaddress") || is("returnaddress") {
            self.opaque(i, "a value only the compiler knows");
        } else if self.float_intrinsic(i, name, &a) || self.integer_intrinsic(i, name, &a) {
        } else if let Some(function) = clib::of_intrinsic(name.split('.').next().unwrap_or("")) {
            // An operation of clang's; a call of it stays a call.
            let suffix = if name.ends_with(".f32") { "f" } else { "" };
            self.call_outside(i, &format!("{}{suffix}", function.name), &a);
        } else {
            self.note(&format!("the compiler's builtin `{name}` is not modelled; its recorded result stands for it"));
            self.call_outside(i, full_name, &a);
        }
    }

    fn float_intrinsic(&mut self, i: Value, name: &str, a: &[Value]) -> bool {
        let (true, Some(bits)) = (i.ty().is_plain_float(), self.whole.width(i.ty())) else {
            return name.starts_with("is.fpclass") && self.float_class(i, a);
        };
        match name.split('.').next().unwrap_or("") {
            "fabs" => {
                let operand = self.operand(a[0]);
                self.result(i, bits, Operation::FloatAbs(operand));
            }
            "sqrt" => {
                let operand = self.operand(a[0]);
                self.result(i, bits, Operation::FloatSqrt(operand));
            }
            // Two operations on a machine without fused ones, which is what we generate code for.
            "fmuladd" => {
                let (x, y, z) = (self.operand(a[0]), self.operand(a[1]), self.operand(a[2]));
                let product = self.define(bits, Operation::FloatBinary(FloatBinaryOp::Mul, x, y));
                self.result(i, bits, Operation::FloatBinary(FloatBinaryOp::Add, product, z));
            }
            _ => return false,
        }
        true
    }

    /// Tests such as `isnan`, on the bits of the number.
    fn float_class(&mut self, i: Value, a: &[Value]) -> bool {
        if !a[0].ty().is_plain_float() {
            return false;
        }
        let Some(mask) = crate::debug_info::constant_bits(a[1]) else {
            return false;
        };
        let operand = self.operand(a[0]);
        let (bits, fraction) = if self.bits(&operand) == 32 { (32, 23) } else { (64, 52) };
        let constant = |value: u128| Operand::Constant { bits, value };
        let sign = 1u128 << (bits - 1);
        let infinity = (sign - 1) >> fraction << fraction;
        let quiet = infinity | 1 << (fraction - 1);
        let smallest_normal = 1u128 << fraction;
        let magnitude = self.binary(bits, BinaryOp::And, operand.clone(), constant(sign - 1));
        // Each class is an interval of magnitudes for one sign (or both, for what is not a number).
        let below = [
            (0x001, None, infinity + 1, quiet),
            (0x002, None, quiet, sign),
            (0x004, Some(true), infinity, infinity + 1),
            (0x008, Some(true), smallest_normal, infinity),
            (0x010, Some(true), 1, smallest_normal),
            (0x020, Some(true), 0, 1),
            (0x040, Some(false), 0, 1),
            (0x080, Some(false), 1, smallest_normal),
            (0x100, Some(false), smallest_normal, infinity),
            (0x200, Some(false), infinity, infinity + 1),
        ];
        let mut result = Operand::Constant { bits: 1, value: 0 };
        for (class, negative, from, to) in below {
            if mask & class == 0 {
                continue;
            }
            let above = self.define(1, Operation::Compare(CompareOp::UGe, magnitude.clone(), constant(from)));
            let under = self.define(1, Operation::Compare(CompareOp::ULt, magnitude.clone(), constant(to)));
            let mut inside = self.binary(1, BinaryOp::And, above, under);
            if let Some(negative) = negative {
                let op = if negative { CompareOp::SLt } else { CompareOp::SGe };
                let signed = self.define(1, Operation::Compare(op, operand.clone(), constant(0)));
                inside = self.binary(1, BinaryOp::And, inside, signed);
            }
            result = self.binary(1, BinaryOp::Or, result, inside);
        }
        self.values.insert(i, result);
        true
    }

    fn integer_intrinsic(&mut self, i: Value, name: &str, a: &[Value]) -> bool {
        let mut parts = name.split('.');
        let first = parts.next().unwrap_or("");
        if parts.next() == Some("with") {
            return self.checked_arithmetic(i, first, a);
        }
        let (true, Some(bits)) = (i.ty().is_integer(), self.whole.width(i.ty())) else {
            return false;
        };
        let known = ["abs", "smax", "smin", "umax", "umin", "ctpop", "ctlz", "cttz", "bswap", "fshl", "fshr"];
        if !known.contains(&first) {
            return false;
        }
        let operands: Vec<Operand> = a.iter().map(|v| self.operand(*v)).collect();
        let x = operands[0].clone();
        let value = match first {
            "abs" => {
                // Clang says so where the smallest number is excluded, as it is for C's own functions.
                let no_smallest = operands[1] == Operand::Constant { bits: 1, value: 1 };
                self.absolute(bits, x, no_smallest)
            }
            "smax" => self.choose(bits, CompareOp::SGt, x, operands[1].clone()),
            "smin" => self.choose(bits, CompareOp::SLt, x, operands[1].clone()),
            "umax" => self.choose(bits, CompareOp::UGt, x, operands[1].clone()),
            "umin" => self.choose(bits, CompareOp::ULt, x, operands[1].clone()),
            "ctpop" if bits.is_power_of_two() && bits >= 8 => self.count_ones(bits, x),
            "ctlz" if bits.is_power_of_two() && bits >= 8 => self.count_leading_zeros(bits, x),
            "cttz" if bits.is_power_of_two() && bits >= 8 => self.count_trailing_zeros(bits, x),
            "bswap" => self.swap_bytes(bits, x),
            "fshl" => self.funnel_shift(bits, x, operands[1].clone(), operands[2].clone(), true),
            "fshr" => self.funnel_shift(bits, x, operands[1].clone(), operands[2].clone(), false),
            _ => return false,
        };
        self.values.insert(i, value);
        true
    }

    /// `__builtin_add_overflow` and its like: computed in a width where nothing is lost, then compared.
    fn checked_arithmetic(&mut self, i: Value, name: &str, a: &[Value]) -> bool {
        let (signed, op) = match name {
            "sadd" => (true, BinaryOp::Add),
            "ssub" => (true, BinaryOp::Sub),
            "smul" => (true, BinaryOp::Mul),
            "uadd" => (false, BinaryOp::Add),
            "usub" => (false, BinaryOp::Sub),
            "umul" => (false, BinaryOp::Mul),
            _ => return false,
        };
        if !a[0].ty().is_integer() {
            return false;
        }
        let (x, y) = (self.operand(a[0]), self.operand(a[1]));
        let bits = self.bits(&x);
        let wide = if op == BinaryOp::Mul { 2 * bits } else { bits + 1 };
        if wide > super::MAX_BITS as u32 {
            return false;
        }
        let extend = if signed { CastOp::SignExtend } else { CastOp::ZeroExtend };
        let x = self.define(wide, Operation::Cast(extend, x));
        let y = self.define(wide, Operation::Cast(extend, y));
        let exact = self.binary(wide, op, x, y);
        let value = self.define(bits, Operation::Cast(CastOp::Truncate, exact.clone()));
        let back = self.define(wide, Operation::Cast(extend, value.clone()));
        let lost = self.define(1, Operation::Compare(CompareOp::Ne, back, exact));
        self.pairs.insert(i, [value, lost]);
        true
    }
}
