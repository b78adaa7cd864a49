//! Calls.

use super::body::Body;
use crate::llvm::{Opcode, Type, Value};
use crate::plan::{AS_TEXT, Amount, BEHIND, RETURN, SEEN_END, Word};
use wherefore_clib as clib;
use wherefore_clib::seen::{self, Place, Seen};
use wherefore_program::{Callee, Command, FunctionId, Operand, Operation, RegId, Slot};

impl Body<'_, '_> {
    pub fn call(&mut self, i: Value) {
        let mut called = i.called();
        while called.is_alias() {
            called = called.aliasee();
        }
        if called.is_inline_assembly() {
            self.note("inline assembly is not modelled; what it does to memory is seen when it is loaded");
            return self.call_other(i, Callee::Assembly, &i.arguments());
        }
        if !called.is_function() {
            let pointer = self.operand(called);
            return self.call_other(i, Callee::Pointer(pointer), &i.arguments());
        }
        if let Some(id) = self.whole.functions.get(&called) {
            return self.call_direct(i, *id, called.value_type());
        }
        if called.is_intrinsic() {
            return self.intrinsic(i, &called.name());
        }
        let symbol = called.name();
        let (name, extra) = clib::written_as(&symbol);
        if !extra.is_empty() || !self.library(i, name) {
            self.call_symbol(i, name, extra);
        }
    }

    /// The library's functions that are commands of the model.
    fn library(&mut self, i: Value, name: &str) -> bool {
        let arguments = i.arguments();
        let pointers = |n: usize| arguments.len() == 3 && arguments[..n].iter().all(|a| a.ty().is_pointer());
        let integers = |n: usize| arguments.len() == 3 && arguments[n..].iter().all(|a| a.ty().is_integer());
        match name {
            "memcpy" | "memmove" if pointers(2) && integers(2) => {
                self.copy(arguments[0], arguments[1], arguments[2], name == "memcpy");
            }
            "memset" if pointers(1) && integers(1) => self.fill(arguments[0], arguments[1], arguments[2]),
            _ => return false,
        }
        // They return where they wrote.
        if let Some(bits) = self.whole.width(i.ty()) {
            let to = self.operand(arguments[0]);
            let to = self.resize(to, bits);
            self.result(i, bits, Operation::Copy(to));
        }
        true
    }

    /// A call of a function without a body.
    pub fn call_outside(&mut self, i: Value, name: &str, arguments: &[Value]) {
        self.call_other(i, Callee::External(name.to_string()), arguments);
    }

    /// A call of a library's function under a symbol that may have more arguments than the function; those do not
    /// matter to what it does.
    fn call_symbol(&mut self, i: Value, name: &str, extra: &[usize]) {
        let callee = Callee::External(name.to_string());
        let kept = i.arguments().into_iter().enumerate().filter(|(number, _)| !extra.contains(number));
        let kept: Vec<(u32, Value)> = kept.map(|(number, argument)| (number as u32, argument)).collect();
        self.call_with(i, callee, &kept);
    }

    /// A call after which control comes back with a word that says so, and the result.
    fn call_other(&mut self, i: Value, callee: Callee, given: &[Value]) {
        let given: Vec<(u32, Value)> = (0..).zip(given.iter().copied()).collect();
        self.call_with(i, callee, &given);
    }

    /// The same with each argument's number in the instruction.
    fn call_with(&mut self, i: Value, callee: Callee, given: &[(u32, Value)]) {
        let arguments = given.iter().map(|(_, a)| self.operand(*a)).collect();
        let target = self.result_register(i);
        let site = self.next_site();
        self.log_after(Word::Constant(RETURN | u64::from(site)));
        if target.is_some() {
            self.log_after(Word::Value(i));
        }
        if let Callee::External(name) = &callee {
            self.log_memory(i, name, given);
        }
        // Assembly and the compiler's own functions may want a constant where they have one.
        let fixed = matches!(callee, Callee::Assembly) || is_intrinsic(i);
        self.emit(Command::Call { target, callee, arguments, site });
        let free = (0..).zip(given).filter(|(_, (_, argument))| !(fixed && argument.is_constant()));
        self.act(free.map(|(slot, (number, _))| (Slot::Argument(slot), *number)));
    }

    /// After a call of the library: the memory that it read and wrote.
    fn log_memory(&mut self, i: Value, name: &str, given: &[(u32, Value)]) {
        let Some(function) = clib::function(name).filter(|function| function.is_seen()) else { return };
        let argument = |number: usize| given.get(number).map(|(_, argument)| *argument);
        let mut all = function.seen();
        if let Some(clib::Format::Print(format) | clib::Format::Scan(format)) = function.format
            && let Some(text) = argument(format).and_then(Value::constant_text)
        {
            all.extend(function.seen_by_format(&text));
        }
        for Seen { place, amount, text } in all {
            let (pointer, behind) = match place {
                Place::Argument(number) => (argument(number), 0),
                Place::Behind(number) => (argument(number), BEHIND),
                Place::Result => (Some(i), 0),
            };
            // What cannot be written is known.
            let pointer = pointer.filter(|p| p.ty().is_pointer() && !p.is_constant_variable());
            let number = |value: Option<Value>| value.filter(|value| value.ty().is_integer());
            let amount = match amount {
                seen::Amount::Fixed(size) => Some(Amount::Fixed(size)),
                seen::Amount::Argument(size) => number(argument(size)).map(Amount::Of),
                seen::Amount::Product(a, b) => {
                    number(argument(a)).zip(number(argument(b))).map(|(a, b)| Amount::Product(a, b))
                }
                seen::Amount::Pointers(count) => number(argument(count)).map(|count| Amount::Times(count, 8)),
                seen::Amount::Result => number(Some(i)).map(Amount::Of),
                seen::Amount::Results(size) => {
                    number(Some(i)).zip(number(argument(size))).map(|(a, b)| Amount::Product(a, b))
                }
            };
            if let (Some(pointer), Some(amount)) = (pointer, amount) {
                let how = behind | if text { AS_TEXT } else { 0 };
                self.log_after(Word::Seen(pointer, amount, how));
            }
        }
        self.log_after(Word::Constant(SEEN_END));
    }

    fn result_register(&mut self, i: Value) -> Option<RegId> {
        if i.ty().is_void() {
            return None;
        }
        let Some(bits) = self.whole.width(i.ty()) else {
            self.note("a result of more than 128 bits is not modelled");
            return None;
        };
        let target = self.fresh(bits);
        self.values.insert(i, Operand::Register(target));
        Some(target)
    }

    /// A call of a function with a body. Old C lets declarations and definitions disagree; the call is made to fit.
    fn call_direct(&mut self, i: Value, id: FunctionId, ty: Type) {
        let given = i.arguments();
        let params = ty.params();
        let mut arguments = vec![];
        let mut exact = vec![];
        let mut fits = given.len() >= params.len() && (ty.is_variadic() || given.len() == params.len());
        for (number, param) in params.iter().enumerate() {
            let wanted = self.whole.width(*param).unwrap_or(64);
            arguments.push(match given.get(number) {
                None => Operand::Undefined { bits: wanted },
                Some(argument) => {
                    let operand = self.handed(*argument);
                    let same_class = argument.ty().is_plain_float() == param.is_plain_float();
                    let same = self.bits(&operand) == wanted && same_class;
                    fits &= same;
                    if same && exact.len() == number {
                        exact.push(number as u32);
                    }
                    self.resize(operand, wanted)
                }
            });
        }
        if ty.is_variadic() {
            for (number, argument) in given.iter().enumerate().skip(params.len()) {
                let operand = self.operand(*argument);
                arguments.push(operand);
                if exact.len() == number {
                    exact.push(number as u32);
                }
            }
        }
        // From the first that is made to fit on, the machine's values are not the model's: none can be given to both.
        let exact = exact.into_iter().map(|number| (Slot::Argument(number), number));
        let site = self.next_site();
        let (wanted, defined) = (self.whole.width(i.ty()), self.whole.width(ty.result()));
        match (wanted, defined) {
            (Some(wanted), Some(bits)) if wanted == bits => {
                let target = self.result_register(i);
                self.emit(Command::Call { target, callee: Callee::Function(id), arguments, site });
                self.act(exact);
            }
            (None, _) => {
                self.emit(Command::Call { target: None, callee: Callee::Function(id), arguments, site });
                self.act(exact);
            }
            (Some(bits), _) => {
                fits = false;
                self.emit(Command::Call { target: None, callee: Callee::Function(id), arguments, site });
                self.act(exact);
                let what = "the result of a function declared with another type".to_string();
                self.result(i, bits, Operation::Opaque { what, operands: vec![] });
                self.log_after(Word::Value(i));
            }
        }
        if !fits {
            self.note("a call does not fit the function's definition; its arguments and result are made to fit");
        }
    }
}

/// Whether an instruction is a call of one of LLVM's own functions.
fn is_intrinsic(instruction: Value) -> bool {
    matches!(instruction.opcode(), Opcode::LLVMCall) && instruction.called().is_intrinsic()
}
