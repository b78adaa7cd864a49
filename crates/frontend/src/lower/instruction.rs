//! One LLVM instruction to commands.

use super::body::Body;
use crate::debug_info::constant_bits;
use crate::llvm::{IntPredicate, Opcode, RealPredicate, Type, TypeKind, Value};
use wherefore_program::{
    BinaryOp, CastOp, Command, CompareOp, FloatBinaryOp, FloatCastOp, FloatCompareOp, Operand, Operation, Slot, Switch,
    Terminator,
};

impl Body<'_, '_> {
    /// Lowers an instruction; each opcode is named, so that none is lost.
    pub fn instruction(&mut self, i: Value) {
        match i.opcode() {
            Opcode::LLVMAdd => self.arithmetic(i, BinaryOp::Add),
            Opcode::LLVMSub => self.arithmetic(i, BinaryOp::Sub),
            Opcode::LLVMMul => self.arithmetic(i, BinaryOp::Mul),
            Opcode::LLVMUDiv => self.arithmetic(i, BinaryOp::UDiv),
            Opcode::LLVMSDiv => self.arithmetic(i, BinaryOp::SDiv),
            Opcode::LLVMURem => self.arithmetic(i, BinaryOp::URem),
            Opcode::LLVMSRem => self.arithmetic(i, BinaryOp::SRem),
            Opcode::LLVMShl => self.arithmetic(i, BinaryOp::Shl),
            Opcode::LLVMLShr => self.arithmetic(i, BinaryOp::LShr),
            Opcode::LLVMAShr => self.arithmetic(i, BinaryOp::AShr),
            Opcode::LLVMAnd => self.arithmetic(i, BinaryOp::And),
            Opcode::LLVMOr => self.arithmetic(i, BinaryOp::Or),
            Opcode::LLVMXor => self.arithmetic(i, BinaryOp::Xor),
            Opcode::LLVMFAdd => self.float_arithmetic(i, FloatBinaryOp::Add),
            Opcode::LLVMFSub => self.float_arithmetic(i, FloatBinaryOp::Sub),
            Opcode::LLVMFMul => self.float_arithmetic(i, FloatBinaryOp::Mul),
            Opcode::LLVMFDiv => self.float_arithmetic(i, FloatBinaryOp::Div),
            Opcode::LLVMFRem => self.float_arithmetic(i, FloatBinaryOp::Rem),
            Opcode::LLVMFNeg => self.float_negate(i),
            Opcode::LLVMICmp => self.compare(i),
            Opcode::LLVMFCmp => self.float_compare(i),
            Opcode::LLVMTrunc => self.cast(i, CastOp::Truncate),
            Opcode::LLVMZExt => self.cast(i, CastOp::ZeroExtend),
            Opcode::LLVMSExt => self.cast(i, CastOp::SignExtend),
            Opcode::LLVMFPToSI => self.float_cast(i, FloatCastOp::ToSigned),
            Opcode::LLVMFPToUI => self.float_cast(i, FloatCastOp::ToUnsigned),
            Opcode::LLVMSIToFP => self.float_cast(i, FloatCastOp::FromSigned),
            Opcode::LLVMUIToFP => self.float_cast(i, FloatCastOp::FromUnsigned),
            Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => self.float_cast(i, FloatCastOp::Resize),
            Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => {
                self.whole.beyond.insert("addresses are used as numbers");
                self.same_bits(i);
            }
            Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast | Opcode::LLVMFreeze => self.same_bits(i),
            Opcode::LLVMSelect => self.select(i),
            Opcode::LLVMPHI => self.phi(i),
            Opcode::LLVMExtractValue => self.extract_value(i),
            Opcode::LLVMInsertValue => self.insert_value(i),
            Opcode::LLVMExtractElement => self.extract_element(i),
            Opcode::LLVMInsertElement => self.insert_element(i),
            Opcode::LLVMShuffleVector => self.opaque(i, "a shuffle of a vector"),
            Opcode::LLVMAlloca => self.allocate(i),
            Opcode::LLVMLoad => self.load(i),
            Opcode::LLVMStore => self.store(i),
            Opcode::LLVMGetElementPtr => self.address(i),
            Opcode::LLVMAtomicRMW => self.atomic_update(i),
            Opcode::LLVMAtomicCmpXchg => self.compare_exchange(i),
            Opcode::LLVMFence => self.note("a memory fence is ignored: other threads are not modelled"),
            Opcode::LLVMCall => self.call(i),
            Opcode::LLVMVAArg => self.call_outside(i, "va_arg", &[i.operand(0)]),
            Opcode::LLVMBr => self.branch(i),
            Opcode::LLVMSwitch => self.switch(i),
            Opcode::LLVMRet => self.ret(i),
            Opcode::LLVMUnreachable => self.terminate(Terminator::Unreachable),
            Opcode::LLVMIndirectBr => self.unsupported("a computed goto"),
            Opcode::LLVMCallBr => self.unsupported("assembly that jumps (asm goto)"),
            Opcode::LLVMInvoke
            | Opcode::LLVMResume
            | Opcode::LLVMLandingPad
            | Opcode::LLVMCleanupRet
            | Opcode::LLVMCatchRet
            | Opcode::LLVMCatchPad
            | Opcode::LLVMCleanupPad
            | Opcode::LLVMCatchSwitch => self.unsupported("exception handling"),
            Opcode::LLVMUserOp1 | Opcode::LLVMUserOp2 => self.unsupported("this operation"),
        }
    }

    /// Width of an integer or pointer that the model has; vectors and wider integers have none.
    fn scalar(&self, ty: Type) -> Option<u32> {
        (ty.is_integer() || ty.is_pointer()).then(|| self.whole.width(ty)).flatten()
    }

    fn arithmetic(&mut self, i: Value, op: BinaryOp) {
        let Some(bits) = self.scalar(i.ty()) else {
            return self.opaque(i, arithmetic_of(i.ty()));
        };
        let (left, right) = (self.operand(i.operand(0)), self.operand(i.operand(1)));
        let flags = matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
        let value = Operation::Binary {
            op,
            left,
            right,
            no_signed_wrap: flags && i.no_signed_wrap(),
            no_unsigned_wrap: flags && i.no_unsigned_wrap(),
        };
        self.result(i, bits, value);
    }

    fn float_arithmetic(&mut self, i: Value, op: FloatBinaryOp) {
        match self.whole.width(i.ty()) {
            Some(bits) if i.ty().is_plain_float() => {
                let (left, right) = (self.operand(i.operand(0)), self.operand(i.operand(1)));
                self.result(i, bits, Operation::FloatBinary(op, left, right));
            }
            _ => self.opaque(i, arithmetic_of(i.ty())),
        }
    }

    fn float_negate(&mut self, i: Value) {
        match self.whole.width(i.ty()) {
            Some(bits) if i.ty().is_plain_float() => {
                let operand = self.operand(i.operand(0));
                self.result(i, bits, Operation::FloatNegate(operand));
            }
            _ => self.opaque(i, arithmetic_of(i.ty())),
        }
    }

    fn compare(&mut self, i: Value) {
        if self.scalar(i.operand(0).ty()).is_none() {
            return self.opaque(i, arithmetic_of(i.operand(0).ty()));
        }
        let op = match i.int_predicate() {
            IntPredicate::LLVMIntEQ => CompareOp::Eq,
            IntPredicate::LLVMIntNE => CompareOp::Ne,
            IntPredicate::LLVMIntUGT => CompareOp::UGt,
            IntPredicate::LLVMIntUGE => CompareOp::UGe,
            IntPredicate::LLVMIntULT => CompareOp::ULt,
            IntPredicate::LLVMIntULE => CompareOp::ULe,
            IntPredicate::LLVMIntSGT => CompareOp::SGt,
            IntPredicate::LLVMIntSGE => CompareOp::SGe,
            IntPredicate::LLVMIntSLT => CompareOp::SLt,
            IntPredicate::LLVMIntSLE => CompareOp::SLe,
        };
        let (left, right) = (self.operand(i.operand(0)), self.operand(i.operand(1)));
        let is_null = |operand: &Operand| matches!(operand, Operand::Constant { value: 0, .. });
        let tells_null = matches!(op, CompareOp::Eq | CompareOp::Ne) && (is_null(&left) || is_null(&right));
        if i.operand(0).ty().is_pointer() && !tells_null {
            self.whole.beyond.insert("where objects lie in memory decides something");
        }
        self.result(i, 1, Operation::Compare(op, left, right));
    }

    fn float_compare(&mut self, i: Value) {
        if !i.operand(0).ty().is_plain_float() {
            return self.opaque(i, arithmetic_of(i.operand(0).ty()));
        }
        let constant = |value| Operand::Constant { bits: 1, value };
        let op = match i.real_predicate() {
            RealPredicate::LLVMRealPredicateFalse => {
                self.values.insert(i, constant(0));
                return;
            }
            RealPredicate::LLVMRealPredicateTrue => {
                self.values.insert(i, constant(1));
                return;
            }
            RealPredicate::LLVMRealOEQ => FloatCompareOp::OEq,
            RealPredicate::LLVMRealOGT => FloatCompareOp::OGt,
            RealPredicate::LLVMRealOGE => FloatCompareOp::OGe,
            RealPredicate::LLVMRealOLT => FloatCompareOp::OLt,
            RealPredicate::LLVMRealOLE => FloatCompareOp::OLe,
            RealPredicate::LLVMRealONE => FloatCompareOp::ONe,
            RealPredicate::LLVMRealORD => FloatCompareOp::Ordered,
            RealPredicate::LLVMRealUNO => FloatCompareOp::Unordered,
            RealPredicate::LLVMRealUEQ => FloatCompareOp::UEq,
            RealPredicate::LLVMRealUGT => FloatCompareOp::UGt,
            RealPredicate::LLVMRealUGE => FloatCompareOp::UGe,
            RealPredicate::LLVMRealULT => FloatCompareOp::ULt,
            RealPredicate::LLVMRealULE => FloatCompareOp::ULe,
            RealPredicate::LLVMRealUNE => FloatCompareOp::UNe,
        };
        let (left, right) = (self.operand(i.operand(0)), self.operand(i.operand(1)));
        self.result(i, 1, Operation::FloatCompare(op, left, right));
    }

    fn cast(&mut self, i: Value, op: CastOp) {
        match (self.scalar(i.operand(0).ty()), self.scalar(i.ty())) {
            (Some(_), Some(bits)) => {
                let operand = self.operand(i.operand(0));
                self.result(i, bits, Operation::Cast(op, operand));
            }
            _ => self.opaque(i, arithmetic_of(i.ty())),
        }
    }

    fn float_cast(&mut self, i: Value, op: FloatCastOp) {
        let (from, to) = (i.operand(0).ty(), i.ty());
        let modelled = match op {
            FloatCastOp::FromSigned | FloatCastOp::FromUnsigned => self.scalar(from).is_some() && to.is_plain_float(),
            FloatCastOp::ToSigned | FloatCastOp::ToUnsigned => from.is_plain_float() && self.scalar(to).is_some(),
            FloatCastOp::Resize => from.is_plain_float() && to.is_plain_float(),
        };
        match self.whole.width(to) {
            Some(bits) if modelled => {
                let operand = self.operand(i.operand(0));
                self.result(i, bits, Operation::FloatCast(op, operand));
            }
            _ => {
                let odd = if from.is_integer() || from.is_plain_float() { to } else { from };
                self.opaque(i, arithmetic_of(odd));
            }
        }
    }

    /// Conversions that leave the bits as they are, but for pointers and integers of another width.
    fn same_bits(&mut self, i: Value) {
        match (self.whole.width(i.operand(0).ty()), self.whole.width(i.ty())) {
            (Some(_), Some(bits)) => {
                let operand = self.operand(i.operand(0));
                let operand = self.resize(operand, bits);
                self.values.insert(i, operand);
            }
            _ => self.opaque(i, arithmetic_of(i.ty())),
        }
    }

    fn select(&mut self, i: Value) {
        match self.whole.width(i.ty()) {
            Some(bits) if !i.operand(0).ty().is_vector() => {
                let condition = self.operand(i.operand(0));
                let (a, b) = (self.operand(i.operand(1)), self.operand(i.operand(2)));
                self.result(i, bits, Operation::Select(condition, a, b));
            }
            _ => self.opaque(i, arithmetic_of(i.ty())),
        }
    }

    fn phi(&mut self, i: Value) {
        let Some(bits) = self.whole.width(i.ty()) else {
            return self.note("a value of more than 128 bits is not modelled");
        };
        let target = self.fresh(bits);
        self.values.insert(i, Operand::Register(target));
        let position = self.commands().len();
        self.emit(Command::Define { target, value: Operation::Phi(vec![]) });
        self.phis.push((self.block, position, i));
    }

    /// Offset in bits and type of a part of a struct or array.
    fn part(&self, mut ty: Type, indices: &[u32]) -> (u64, Type) {
        let mut low = 0;
        for index in indices {
            let (offset, element) = self.whole.module.element(ty, *index);
            low += offset;
            ty = element;
        }
        (low, ty)
    }

    fn extract_value(&mut self, i: Value) {
        let (whole, indices) = (i.operand(0), i.indices());
        if let Some(pair) = self.pairs.get(&whole) {
            let operand = pair[indices[0] as usize].clone();
            self.values.insert(i, operand);
            return;
        }
        let (low, _) = self.part(whole.ty(), &indices);
        self.extract(i, whole, low);
    }

    fn extract(&mut self, i: Value, whole: Value, low: u64) {
        match (self.whole.width(whole.ty()), self.whole.width(i.ty())) {
            (Some(from), Some(bits)) => {
                let value = self.operand(whole);
                if from == bits {
                    self.values.insert(i, value);
                } else {
                    self.result(i, bits, Operation::Extract { value, low: low as u32 });
                }
            }
            _ => self.opaque(i, "a value of more than 128 bits"),
        }
    }

    fn insert_value(&mut self, i: Value) {
        let (low, _) = self.part(i.ty(), &i.indices());
        self.insert(i, i.operand(1), low);
    }

    fn insert(&mut self, i: Value, part: Value, low: u64) {
        match (self.whole.width(i.ty()), self.whole.width(part.ty())) {
            (Some(bits), Some(part_bits)) => {
                let (value, part) = (self.operand(i.operand(0)), self.operand(part));
                if bits == part_bits {
                    self.values.insert(i, part);
                } else {
                    self.result(i, bits, Operation::Insert { value, part, low: low as u32 });
                }
            }
            _ => self.opaque(i, "a value of more than 128 bits"),
        }
    }

    /// Offset in bits of a vector's element, if its index is constant and in range.
    fn element_offset(&self, vector: Type, index: Value) -> Option<u64> {
        let index = u32::try_from(constant_bits(index)?).ok()?;
        (index < vector.element_count()).then(|| self.whole.module.element(vector, index).0)
    }

    fn extract_element(&mut self, i: Value) {
        match self.element_offset(i.operand(0).ty(), i.operand(1)) {
            Some(low) => self.extract(i, i.operand(0), low),
            None => self.opaque(i, "an element of a vector at a variable index"),
        }
    }

    fn insert_element(&mut self, i: Value) {
        match self.element_offset(i.ty(), i.operand(2)) {
            Some(low) => self.insert(i, i.operand(1), low),
            None => self.opaque(i, "an element of a vector at a variable index"),
        }
    }

    fn branch(&mut self, i: Value) {
        let successors = i.successors();
        if i.is_conditional() {
            let condition = self.operand(i.operand(0));
            let (then, otherwise) = (self.target(successors[0]), self.target(successors[1]));
            self.terminate(Terminator::Branch { condition, then, otherwise });
            self.act_at_end(Slot::Condition);
        } else {
            let to = self.target(successors[0]);
            self.terminate(Terminator::Goto(to));
        }
    }

    fn switch(&mut self, i: Value) {
        let value = self.operand(i.operand(0));
        let successors = i.successors();
        if self.scalar(i.operand(0).ty()).is_none() {
            return self.unsupported("a switch on more than 128 bits");
        }
        let mut cases = vec![];
        for (number, block) in successors.iter().enumerate().skip(1) {
            if let Some(constant) = constant_bits(i.operand(2 * number as u32)) {
                cases.push((constant, self.target(*block)));
            }
        }
        let default = self.target(successors[0]);
        self.terminate(Terminator::Switch(Switch { value, cases, default }));
        self.act_at_end(Slot::Condition);
    }

    fn ret(&mut self, i: Value) {
        let value = (i.operand_count() > 0 && self.function.result.is_some()).then(|| self.handed(i.operand(0)));
        let returns = value.is_some();
        if returns && frees_stack_before(i.operand(0), i) {
            // The clean-up belongs to the closing brace, what is returned to the statement.
            self.at = self.origin(i.operand(0));
        }
        self.terminate(Terminator::Return(value));
        if returns {
            self.act_at_end(Slot::Result);
        }
    }
}

/// Whether arrays of variable length are given back between a value and its return.
fn frees_stack_before(value: Value, ret: Value) -> bool {
    if !value.is_instruction() || value.block() != ret.block() {
        return false;
    }
    let between = std::iter::successors(value.next(), |i| i.next()).take_while(|i| *i != ret);
    let frees = |i: Value| matches!(i.opcode(), Opcode::LLVMCall) && i.called().name().starts_with("llvm.stackrestore");
    between.into_iter().any(frees)
}

/// Words for arithmetic that is not modelled.
fn arithmetic_of(ty: Type) -> &'static str {
    match ty.kind() {
        TypeKind::LLVMX86_FP80TypeKind => "long double arithmetic",
        TypeKind::LLVMHalfTypeKind | TypeKind::LLVMBFloatTypeKind => "16-bit floating point arithmetic",
        TypeKind::LLVMFP128TypeKind => "128-bit floating point arithmetic",
        TypeKind::LLVMVectorTypeKind => "vector arithmetic",
        TypeKind::LLVMIntegerTypeKind => "arithmetic on more than 128 bits",
        _ => "this operation",
    }
}
