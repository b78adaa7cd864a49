//! Checks that a program is well formed.
//!
//! Run after lowering (in tests and debug builds) and on every program that comes from a file: ids in range, every register defined once and before its uses,
//! widths that agree, places of locals that do not escape inside the local, calls that fit their callee, and
//! control flow that fits its phis.

mod types;

use crate::{
    Block, BlockId, Callee, CastOp, Command, FloatCastOp, Flow, Function, FunctionId, LocalId, Operand, Operation,
    Origin, Place, Program, RegId, Switch, Terminator,
};
use std::collections::HashSet;
use types::{LARGEST, bad_types};

/// Something wrong with a program; always a bug of whoever made the program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The function it is in, if any.
    pub function: Option<FunctionId>,
    /// The block it is in, if any.
    pub block: Option<BlockId>,
    /// What is wrong.
    pub message: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(function) = self.function {
            write!(f, "function {}, ", function.0)?;
        }
        if let Some(block) = self.block {
            write!(f, "block {}, ", block.0)?;
        }
        f.write_str(&self.message)
    }
}

/// All problems of a program; empty when it is well formed.
pub fn validate(program: &Program) -> Vec<Problem> {
    let mut problems = vec![];
    let mut general = |message: String| problems.push(Problem { function: None, block: None, message });
    for (id, message) in bad_types(&program.types) {
        general(format!("type {id}: {message}"));
    }
    for (number, global) in program.globals.iter().enumerate() {
        if global.ctype.is_some_and(|t| t.index() >= program.types.0.len()) {
            general(format!("global {number}: its type does not exist"));
        }
        if global.function.is_some_and(|f| f.index() >= program.functions.len()) {
            general(format!("global {number}: its function does not exist"));
        }
        if !origin_exists(program, global.origin) {
            general(format!("global {number}: its file does not exist"));
        }
        if global.size > LARGEST {
            general(format!("global {number}: it is larger than memory"));
        }
    }
    if !program.externals.is_sorted_by(|a, b| a < b) {
        general("externals are not sorted, or not distinct".to_string());
    }
    if program.notes.iter().any(|n| !origin_exists(program, n.at)) {
        general("the file of a note does not exist".to_string());
    }
    let mut next_block = 0u32;
    let mut sites = HashSet::new();
    for (number, function) in program.functions.iter().enumerate() {
        let id = FunctionId(number as u32);
        let mut checker = Checker { program, function, id, block: None, problems: vec![], sites: &mut sites };
        if function.first_block != next_block {
            checker.problem(format!("blocks are numbered from {}, not from {next_block}", function.first_block));
        }
        next_block = function.first_block.saturating_add(function.blocks.len() as u32);
        checker.function();
        problems.append(&mut checker.problems);
    }
    problems
}

fn origin_exists(program: &Program, origin: Option<Origin>) -> bool {
    origin.is_none_or(|o| o.file.index() < program.files.len() && o.line > 0)
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    id: FunctionId,
    block: Option<BlockId>,
    problems: Vec<Problem>,
    sites: &'a mut HashSet<u32>,
}

impl Checker<'_> {
    fn problem(&mut self, message: String) {
        self.problems.push(Problem { function: Some(self.id), block: self.block, message });
    }

    fn check(&mut self, fine: bool, message: impl FnOnce() -> String) {
        if !fine {
            self.problem(message());
        }
    }

    fn function(&mut self) {
        let f = self.function;
        self.check(!f.blocks.is_empty(), || "has no blocks".to_string());
        self.check(origin_exists(self.program, f.origin), || "its file does not exist".to_string());
        self.check(f.result_type.is_none_or(|t| t.index() < self.program.types.0.len()), || {
            "its result's type does not exist".to_string()
        });
        for (number, bits) in f.registers.iter().enumerate() {
            self.check((1..=128).contains(bits), || format!("register {number} has {bits} bits"));
        }
        for (number, local) in f.locals.iter().enumerate() {
            self.check(local.ctype.is_none_or(|t| t.index() < self.program.types.0.len()), || {
                format!("the type of local {number} does not exist")
            });
            self.check(local.size.is_none_or(|size| size <= LARGEST), || {
                format!("local {number} is larger than memory")
            });
            self.check(local.size.is_some() || local.escapes, || {
                format!("local {number} of unknown size does not escape")
            });
            self.check(origin_exists(self.program, local.origin), || {
                format!("the file of local {number} does not exist")
            });
        }
        for member in &f.members {
            self.operand(&member.address);
            self.operand(&member.start);
            self.expect(&member.start, 64, "the start of an array");
        }
        self.check(f.within.is_sorted_by_key(|w| (w.block, w.command)), || "scopes are out of order".to_string());
        let targets_exist =
            f.blocks.iter().flat_map(|b| b.terminator.it.successors()).all(|t| t.index() < f.blocks.len());
        self.check(targets_exist, || "control goes to a block that does not exist".to_string());
        if f.blocks.is_empty() || !targets_exist {
            return;
        }
        let flow = Flow::new(f);
        self.definitions(&flow);
        for (number, block) in f.blocks.iter().enumerate() {
            self.block = Some(BlockId(number as u32));
            self.block(block, &flow.predecessors[number]);
        }
        self.block = None;
    }

    /// Registers are defined once, and where a use is reached its definition was.
    fn definitions(&mut self, flow: &Flow) {
        // Where each register is defined: block and position; parameters before everything.
        let mut defined: Vec<Option<(usize, usize)>> = vec![None; self.function.registers.len()];
        let mut define = |this: &mut Self, register: RegId, at: (usize, usize)| match defined.get_mut(register.index())
        {
            None => this.problem(format!("register {} does not exist", register.0)),
            Some(Some(_)) => this.problem(format!("register {} is defined twice", register.0)),
            Some(free) => *free = Some(at),
        };
        for register in &self.function.params {
            define(self, *register, (0, 0));
        }
        for (number, block) in self.function.blocks.iter().enumerate() {
            for (position, command) in block.commands.iter().enumerate() {
                if let Some(register) = command.it.defined() {
                    define(self, register, (number, position + 1));
                }
            }
        }
        for (number, block) in self.function.blocks.iter().enumerate() {
            if flow.order[number].is_none() {
                continue;
            }
            self.block = Some(BlockId(number as u32));
            let used = |this: &mut Self, operand: &Operand, at: (usize, usize)| {
                let Operand::Register(register) = operand else {
                    return;
                };
                let reached = match defined.get(register.index()) {
                    Some(Some((0, 0))) => true,
                    Some(Some((block, position))) => {
                        if *block == at.0 {
                            *position < at.1
                        } else {
                            flow.dominates(BlockId(*block as u32), BlockId(at.0 as u32))
                        }
                    }
                    _ => false,
                };
                this.check(reached, || format!("register {} is used where it may be undefined", register.0));
            };
            for (position, command) in block.commands.iter().enumerate() {
                if let Command::Define { value: Operation::Phi(ways), .. } = &command.it {
                    // A way from a block that does not exist does not fit those that lead here, which is told there.
                    let exists = |from: &BlockId| from.index() < self.function.blocks.len();
                    for (from, operand) in ways.iter().filter(|(from, _)| exists(from)) {
                        used(self, operand, (from.index(), usize::MAX));
                    }
                } else {
                    for operand in command.it.operands() {
                        used(self, operand, (number, position + 1));
                    }
                }
            }
            if let Some(operand) = block.terminator.it.operand() {
                used(self, operand, (number, usize::MAX));
            }
        }
        self.block = None;
    }

    fn block(&mut self, block: &Block, predecessors: &[BlockId]) {
        let mut after_phis = false;
        for command in &block.commands {
            self.check(origin_exists(self.program, command.at), || "the file of a command does not exist".to_string());
            match &command.it {
                Command::Define { value: Operation::Phi(ways), .. } => {
                    self.check(!after_phis, || "a phi stands after other commands".to_string());
                    let from: HashSet<BlockId> = ways.iter().map(|w| w.0).collect();
                    let expected: HashSet<BlockId> = predecessors.iter().copied().collect();
                    self.check(from == expected && ways.len() == expected.len(), || {
                        "a phi does not fit the blocks that lead to it".to_string()
                    });
                }
                _ => after_phis = true,
            }
            self.command(&command.it);
        }
        self.check(origin_exists(self.program, block.terminator.at), || {
            "the file of a jump does not exist".to_string()
        });
        if let Some(operand) = block.terminator.it.operand() {
            self.operand(operand);
        }
        match &block.terminator.it {
            Terminator::Branch { condition, .. } => self.expect(condition, 1, "a branch's condition"),
            Terminator::Switch(Switch { value, cases, .. }) => {
                let bits = self.width(value);
                let distinct: HashSet<u128> = cases.iter().map(|c| c.0).collect();
                self.check(distinct.len() == cases.len(), || "a switch has a case twice".to_string());
                self.check(bits >= 128 || cases.iter().all(|c| c.0 >> bits == 0), || {
                    "a switch has a case wider than its value".to_string()
                });
            }
            Terminator::Return(value) => match (value, self.function.result) {
                (Some(value), Some(bits)) => self.expect(value, bits, "a returned value"),
                (None, None) => {}
                _ => self.problem("a return does not fit the function's result".to_string()),
            },
            Terminator::Goto(_) | Terminator::Unreachable => {}
        }
    }

    fn command(&mut self, command: &Command) {
        for operand in command.operands() {
            self.operand(operand);
        }
        match command {
            Command::Define { target, value } => self.operation(self.register(*target), value),
            Command::Load { target, place, logged, .. } => {
                let bits = self.register(*target);
                self.place(place, bits);
                self.check(!*logged || matches!(place, Place::Local(..)), || {
                    "a load of memory is marked as a logged local".to_string()
                });
            }
            Command::Store { place, value, bits } => {
                self.place(place, *bits);
                self.expect(value, *bits, "a stored value");
            }
            Command::Allocate { local, target } => {
                match self.function.locals.get(local.index()) {
                    None => self.problem(format!("local {} does not exist", local.0)),
                    Some(l) => {
                        let (escapes, fixed) = (l.escapes, l.size.is_some());
                        self.check(escapes, || format!("local {} is allocated but does not escape", local.0));
                        self.check(fixed == target.is_none(), || {
                            format!("the allocation of local {} does not fit its size", local.0)
                        });
                    }
                }
                if let Some(target) = target {
                    let bits = self.register(*target);
                    self.check(bits == 64, || "an address is not 64 bits wide".to_string());
                }
            }
            Command::Copy { to, from, length, .. } => {
                for address in [to, from, length] {
                    self.expect(address, 64, "an operand of a copy");
                }
            }
            Command::Fill { to, byte, length } => {
                self.expect(to, 64, "the address of a fill");
                self.expect(byte, 8, "the byte of a fill");
                self.expect(length, 64, "the length of a fill");
            }
            Command::Call { target, callee, arguments, site } => {
                let fresh = self.sites.insert(*site);
                self.check(fresh, || format!("call site {site} exists twice"));
                match callee {
                    Callee::Function(id) => self.direct_call(*id, *target, arguments),
                    Callee::Pointer(operand) => self.expect(operand, 64, "a function pointer"),
                    Callee::External(_) | Callee::Assembly => {}
                }
            }
        }
    }

    fn direct_call(&mut self, id: FunctionId, target: Option<RegId>, arguments: &[Operand]) {
        let Some(callee) = self.program.functions.get(id.index()) else {
            return self.problem(format!("function {} does not exist", id.0));
        };
        let fits = arguments.len() == callee.params.len() || callee.variadic && arguments.len() > callee.params.len();
        self.check(fits, || format!("a call of {} has {} arguments", callee.name, arguments.len()));
        for (argument, param) in arguments.iter().zip(&callee.params) {
            let bits = callee.registers.get(param.index()).copied().unwrap_or(0);
            self.expect(argument, bits, "an argument");
        }
        if let Some(target) = target {
            let bits = self.register(target);
            self.check(callee.result == Some(bits), || format!("the result of a call of {} does not fit", callee.name));
        }
    }

    fn place(&mut self, place: &Place, bits: u32) {
        match place {
            Place::Memory(address) => self.expect(address, 64, "an address"),
            Place::Local(id, offset) => match self.function.locals.get(id.index()) {
                None => self.problem(format!("local {} does not exist", id.0)),
                Some(local) => {
                    let end = offset.saturating_add(u64::from(bits.div_ceil(8)));
                    let (escapes, inside) = (local.escapes, local.size.is_some_and(|size| end <= size));
                    self.check(!escapes, || format!("local {} escapes but is accessed by name", id.0));
                    self.check(inside, || format!("an access of local {} lies outside it", id.0));
                }
            },
        }
    }

    fn register(&self, id: RegId) -> u32 {
        self.function.registers.get(id.index()).copied().unwrap_or(0)
    }

    fn width(&self, operand: &Operand) -> u32 {
        match operand {
            Operand::Register(id) => self.register(*id),
            Operand::Constant { bits, .. } | Operand::Undefined { bits } => *bits,
            Operand::Global(..) | Operand::Local(..) | Operand::Function(_) | Operand::External(_) => 64,
        }
    }

    fn expect(&mut self, operand: &Operand, bits: u32, what: &str) {
        let found = self.width(operand);
        self.check(found == bits, || format!("{what} has {found} bits in place of {bits}"));
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Register(id) => {
                self.check(id.index() < self.function.registers.len(), || format!("register {} does not exist", id.0));
            }
            Operand::Constant { bits, value } => {
                let fits = (1..=128).contains(bits) && (*bits == 128 || value >> bits == 0);
                self.check(fits, || format!("the constant {value} does not fit {bits} bits"));
            }
            Operand::Undefined { bits } => {
                self.check((1..=128).contains(bits), || format!("an undefined value has {bits} bits"));
            }
            Operand::Global(id, _) => {
                self.check(id.index() < self.program.globals.len(), || format!("global {} does not exist", id.0));
            }
            Operand::Local(LocalId(id), _) => {
                let escapes = self.function.locals.get(*id as usize).is_some_and(|l| l.escapes);
                self.check(escapes, || format!("local {id} has an address but does not escape, or does not exist"));
            }
            Operand::Function(id) => {
                self.check(id.index() < self.program.functions.len(), || format!("function {} does not exist", id.0));
            }
            Operand::External(symbol) => {
                let known = self.program.externals.binary_search(symbol).is_ok();
                self.check(known, || format!("the address of {symbol} is not in the table"));
            }
        }
    }

    fn operation(&mut self, target: u32, operation: &Operation) {
        match operation {
            Operation::Copy(a) | Operation::FloatNegate(a) | Operation::FloatAbs(a) | Operation::FloatSqrt(a) => {
                self.expect(a, target, "an operand");
            }
            Operation::Binary { left, right, .. } => {
                self.expect(left, target, "a left operand");
                self.expect(right, target, "a right operand");
            }
            Operation::FloatBinary(_, left, right) => {
                self.check(matches!(target, 32 | 64), || format!("floating point arithmetic of {target} bits"));
                self.expect(left, target, "a left operand");
                self.expect(right, target, "a right operand");
            }
            Operation::Compare(_, a, b) | Operation::FloatCompare(_, a, b) => {
                self.check(target == 1, || format!("a comparison gives {target} bits"));
                let bits = self.width(a);
                self.expect(b, bits, "a compared operand");
            }
            Operation::Cast(op, a) => {
                let from = self.width(a);
                let fits = if *op == CastOp::Truncate { from > target } else { from < target };
                self.check(fits, || format!("a cast {op:?} from {from} to {target} bits"));
            }
            Operation::FloatCast(op, a) => {
                let float = |bits| matches!(bits, 32 | 64);
                let from = self.width(a);
                let fits = match op {
                    FloatCastOp::FromSigned | FloatCastOp::FromUnsigned => float(target),
                    FloatCastOp::ToSigned | FloatCastOp::ToUnsigned => float(from),
                    FloatCastOp::Resize => float(from) && float(target) && from != target,
                };
                self.check(fits, || format!("a conversion {op:?} from {from} to {target} bits"));
            }
            Operation::Select(condition, a, b) => {
                self.expect(condition, 1, "a condition");
                self.expect(a, target, "a selected operand");
                self.expect(b, target, "a selected operand");
            }
            Operation::Extract { value, low } => {
                let from = self.width(value);
                let end = low.saturating_add(target);
                self.check(end <= from, || format!("bits {low} to {end} of {from}"));
            }
            Operation::Insert { value, part, low } => {
                self.expect(value, target, "a value changed in part");
                let bits = self.width(part);
                let end = low.saturating_add(bits);
                self.check(end <= target, || format!("bits {low} to {end} of {target} replaced"));
            }
            Operation::Phi(ways) => {
                for (_, operand) in ways {
                    self.expect(operand, target, "an operand of a phi");
                }
            }
            Operation::Opaque { .. } => {}
        }
    }
}
