//! A call of a function: its blocks, command by command.

use crate::builder::{Builder, Cell, Here};
use crate::memory::FIRST_FUNCTION;
use crate::{Kind, Named};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::rc::Rc;
use wherefore_automata::{LocationId, Statement};
use wherefore_formula::{TermId, VarId};
use wherefore_program::{
    BinaryOp, BlockId, Command, Flow as ControlFlow, Function, FunctionId, LocalId, Located, Operand, Operation, Place,
    RegId, Terminator,
};

/// A call while its blocks are built.
pub(crate) struct Frame {
    pub function: FunctionId,
    /// Which call.
    pub call: u32,
    blocks: Vec<LocationId>,
    /// Where it returns to.
    pub exit: LocationId,
    arguments: FxHashMap<RegId, TermId>,
    /// Addresses of locals.
    pub objects: FxHashMap<LocalId, u32>,
    /// Values of registers in the block that is built, over variables as they are.
    pub registers: BTreeMap<RegId, TermId>,
    /// The last command of the block that uses each.
    last: FxHashMap<RegId, usize>,
    crossing: Rc<FxHashSet<RegId>>,
    /// Blocks that are parts of the condition of the block before.
    parts: Vec<bool>,
    /// The command that is built.
    pub command: usize,
}

impl Builder<'_> {
    /// Builds a call of a function; where it returns, and what.
    pub fn inline(&mut self, id: FunctionId, arguments: &[TermId], start: LocationId) -> (LocationId, Option<VarId>) {
        let program = self.program;
        let function = &program.functions[id.index()];
        self.stack.push(id);
        let call = self.calls;
        self.calls += 1;
        let crossing = self.crossing.entry(id).or_insert_with(|| Rc::new(crossing(function))).clone();
        let mut frame = Frame {
            function: id,
            call,
            blocks: function.blocks.iter().map(|_| self.graph.location()).collect(),
            exit: self.graph.location(),
            arguments: function.params.iter().copied().zip(arguments.iter().copied()).collect(),
            objects: FxHashMap::default(),
            registers: BTreeMap::new(),
            last: FxHashMap::default(),
            parts: vec![],
            crossing,
            command: 0,
        };
        let flow = ControlFlow::new(function);
        frame.parts = conditions(function, &flow, &frame.crossing);
        self.declare_locals(&mut frame, function);
        self.go(start, frame.blocks[0]);
        for number in (0..function.blocks.len()).filter(|number| flow.order[*number].is_some()) {
            if !frame.parts[number] {
                self.block(&mut frame, function, BlockId(number as u32));
            }
        }
        self.stack.pop();
        self.end_of(frame.objects.into_values());
        let result = self.cells.get(&Cell::Result(call)).copied();
        (frame.exit, result)
    }

    fn declare_locals(&mut self, frame: &mut Frame, function: &Function) {
        for (number, local) in function.locals.iter().enumerate().filter(|(_, local)| local.escapes) {
            let id = LocalId(number as u32);
            let object = self.object(local.size.unwrap_or(0), local.ctype, local.name.clone().unwrap_or_default());
            self.set_local(object, frame.function, id);
            frame.objects.insert(id, object);
        }
    }

    /// A call does not know what the last one left in its locals: those that may be read before they are set are anything.
    fn forget_locals(&mut self, frame: &Frame, here: &mut Here, function: &Function) {
        let commands = function.blocks.iter().flat_map(|block| &block.commands);
        let mut read: Vec<(LocalId, u64, u32)> = commands
            .filter_map(|command| match &command.it {
                Command::Load { target, place: Place::Local(local, offset), logged: true, .. } => {
                    Some((*local, *offset, function.registers[target.index()]))
                }
                _ => None,
            })
            .collect();
        read.sort_unstable();
        read.dedup();
        // Nothing comes before the first call.
        for (local, offset, bits) in read.into_iter().filter(|_| frame.call > 0) {
            if let Some(var) = self.local(frame, function, local, offset, bits) {
                self.step(here, Statement::Havoc { to: var }, Kind::Internal);
            }
        }
    }

    fn block(&mut self, frame: &mut Frame, function: &Function, id: BlockId) {
        let block = &function.blocks[id.index()];
        frame.registers = BTreeMap::new();
        frame.last = FxHashMap::default();
        for (number, command) in block.commands.iter().enumerate() {
            for register in command.it.operands().into_iter().filter_map(register) {
                frame.last.insert(register, number);
            }
        }
        let end = block.commands.len();
        let mut ends: Vec<RegId> = block.terminator.it.operand().and_then(register).into_iter().collect();
        for next in block.terminator.it.successors() {
            ends.extend(phis(function, id, next).into_iter().filter_map(|(_, value)| register(value)));
        }
        ends.into_iter().for_each(|register| {
            frame.last.insert(register, end);
        });
        let mut here = Here { location: frame.blocks[id.index()], at: None, function: frame.function };
        if id.0 == 0 {
            for (register, value) in frame.arguments.clone() {
                self.define(frame, &mut here, register, value);
            }
            self.forget_locals(frame, &mut here, function);
        }
        for (number, command) in block.commands.iter().enumerate() {
            frame.command = number;
            here.at = command.at;
            self.command(frame, &mut here, function, command);
        }
        frame.command = end;
        here.at = block.terminator.at;
        self.terminator(frame, here, function, id, &block.terminator.it);
    }

    /// A register gets a value; one that other blocks use is a variable.
    pub fn define(&mut self, frame: &mut Frame, here: &mut Here, register: RegId, value: TermId) {
        if frame.crossing.contains(&register) {
            let bits = self.graph.terms.width(value);
            let var = self.unnamed(Cell::Register(frame.call, register), bits);
            self.assign(frame, here, var, value, Kind::Internal);
            let value = self.value_of(var);
            frame.registers.insert(register, value);
        } else {
            frame.registers.insert(register, value);
        }
    }

    /// An assignment. What registers have read from the variable is saved where it is still needed.
    pub fn assign(&mut self, frame: &mut Frame, here: &mut Here, to: VarId, value: TermId, kind: Kind) {
        self.save(frame, here, &|builder, term| builder.graph.terms.mentions(term, to));
        self.step(here, Statement::Assign { to, value }, kind);
    }

    /// Saves values of registers that are still needed.
    pub fn save(&mut self, frame: &mut Frame, here: &mut Here, is_lost: &dyn Fn(&Self, TermId) -> bool) {
        let needed = |register: &RegId| frame.last.get(register).is_some_and(|last| *last > frame.command);
        let lost: Vec<(RegId, TermId)> = frame
            .registers
            .iter()
            .filter(|(register, term)| needed(register) && is_lost(self, **term))
            .map(|(register, term)| (*register, *term))
            .collect();
        for (register, term) in lost {
            let bits = self.graph.terms.width(term);
            self.saved += 1;
            let var = self.unnamed(Cell::Saved(self.saved), bits);
            self.step(here, Statement::Assign { to: var, value: term }, Kind::Internal);
            let value = self.value_of(var);
            frame.registers.insert(register, value);
        }
    }

    fn local(&mut self, frame: &Frame, function: &Function, local: LocalId, offset: u64, bits: u32) -> Option<VarId> {
        let declared = &function.locals[local.index()];
        let bytes = u64::from(bits.div_ceil(8));
        let types = &self.program.types;
        let scalars = declared.ctype.and_then(|ctype| types.scalars(ctype, 64));
        let scalar = scalars.and_then(|all| all.into_iter().find(|(at, _)| *at == offset));
        let ctype = match scalar {
            Some((_, ctype)) if types.size(ctype) == Some(bytes) => Some(ctype),
            None if declared.size == Some(bytes) && offset == 0 => declared.ctype,
            _ => return None,
        };
        let part = declared.ctype.map_or(String::new(), |ctype| self.part_of(ctype, offset));
        let name = declared.name.as_ref().map_or(String::new(), |name| format!("{name}{part}"));
        let named = Named { name, ctype, local: Some((frame.function, local)) };
        let cell = Cell::Local(frame.call, local, offset);
        let var = self.variable(cell, bytes as u32 * 8, None, named);
        Some(var)
    }

    fn command(&mut self, frame: &mut Frame, here: &mut Here, function: &Function, command: &Located<Command>) {
        match &command.it {
            Command::Define { value: Operation::Phi(_), target } => {
                let var = self.unnamed(Cell::Register(frame.call, *target), function.registers[target.index()]);
                let value = self.value_of(var);
                frame.registers.insert(*target, value);
            }
            Command::Define { target, value } => {
                let bits = function.registers[target.index()];
                let value = self.operation(frame, here, value, bits);
                self.define(frame, here, *target, value);
            }
            Command::Load { target, place, logged, volatile } => {
                let bits = function.registers[target.index()];
                if *volatile {
                    self.note(here.at, "a volatile variable is read");
                } else if *logged {
                    self.take(here.at, "a variable may be read before it is set; it is taken to be anything then");
                }
                let value = match place {
                    Place::Local(local, offset) => self.local(frame, function, *local, *offset, bits).map(|var| {
                        let value = self.value_of(var);
                        self.graph.terms.extract(value, 0, bits)
                    }),
                    Place::Memory(address) => {
                        let address = self.operand(frame, address);
                        self.load(here, address, bits)
                    }
                };
                let value = match value {
                    Some(value) => value,
                    None => self.anything(here, bits, "what is read here is not followed"),
                };
                self.define(frame, here, *target, value);
            }
            Command::Store { place, value, bits } => self.store(frame, here, function, place, value, *bits),
            Command::Allocate { local, .. } => {
                if function.locals[local.index()].size.is_none() {
                    self.cut(here, "an array whose length is not constant is not followed");
                }
            }
            Command::Copy { to, from, length, .. } => {
                let (to, from) = (self.operand(frame, to), self.operand(frame, from));
                let length = self.operand(frame, length);
                self.copy(frame, here, to, from, length);
            }
            Command::Fill { to, byte, length } => {
                let (to, byte) = (self.operand(frame, to), self.operand(frame, byte));
                let length = self.operand(frame, length);
                self.fill(frame, here, to, byte, length);
            }
            Command::Call { target, callee, arguments, .. } => {
                let arguments: Vec<TermId> = arguments.iter().map(|argument| self.operand(frame, argument)).collect();
                let target = target.map(|target| (target, function.registers[target.index()]));
                self.call(frame, here, callee, &arguments, target);
            }
        }
    }

    fn store(
        &mut self,
        frame: &mut Frame,
        here: &mut Here,
        function: &Function,
        place: &Place,
        value: &Operand,
        bits: u32,
    ) {
        let is_argument = matches!(value, Operand::Register(register) if frame.arguments.contains_key(register));
        let value = self.operand(frame, value);
        let value = self.graph.terms.zero_extend(value, bits.div_ceil(8) * 8);
        let is_result = |local: &LocalId| function.locals[local.index()].name.is_none();
        let kind = match place {
            _ if is_argument => Kind::Pass,
            Place::Local(local, _) if is_result(local) => Kind::Return,
            _ => Kind::Assign,
        };
        let targets = match place {
            Place::Local(local, offset) => {
                let always = self.graph.terms.truth(true);
                self.local(frame, function, *local, *offset, bits).map(|var| vec![(always, var)])
            }
            Place::Memory(address) => {
                let address = self.operand(frame, address);
                self.targets(here, address, bits)
            }
        };
        match targets.as_deref() {
            None => self.cut(here, "what is written here is not followed"),
            Some([]) => here.location = self.graph.location(),
            Some([(_, var)]) => self.assign(frame, here, *var, value, kind),
            Some(targets) => {
                self.save(frame, here, &|builder, term| {
                    targets.iter().any(|(_, var)| builder.graph.terms.mentions(term, *var))
                });
                let join = self.graph.location();
                for (condition, var) in targets {
                    let mut branch = *here;
                    self.step(&mut branch, Statement::Assume(*condition), Kind::Internal);
                    self.step_to(branch, Statement::Assign { to: *var, value }, kind, join);
                }
                here.location = join;
            }
        }
    }

    fn copy(&mut self, frame: &mut Frame, here: &mut Here, to: TermId, from: TermId, length: TermId) {
        let bytes = self.graph.terms.constant(length).map(|length| length as u64);
        let source = bytes.and_then(|bytes| self.stretch(from, bytes, false));
        let target = bytes.and_then(|bytes| self.stretch(to, bytes, true));
        let (Some(source), Some(target)) = (source, target) else {
            return self.cut(here, "a copy of memory is not followed");
        };
        let fits = source.len() == target.len() && source.iter().zip(&target).all(|(a, b)| (a.0, a.1) == (b.0, b.1));
        if !fits {
            return self.cut(here, "a copy of memory is not followed");
        }
        let mut cells: Vec<(VarId, VarId)> = source.iter().zip(&target).map(|(from, to)| (from.2, to.2)).collect();
        // As `memmove` does where the two overlap: no cell is written before it is read.
        if self.graph.terms.constant(to) > self.graph.terms.constant(from) {
            cells.reverse();
        }
        for (from, to) in cells {
            let value = self.value_of(from);
            self.assign(frame, here, to, value, Kind::Assign);
        }
    }

    fn fill(&mut self, frame: &mut Frame, here: &mut Here, to: TermId, byte: TermId, length: TermId) {
        let bytes = self.graph.terms.constant(length).map(|length| length as u64);
        let Some(target) = bytes.and_then(|bytes| self.stretch(to, bytes, true)) else {
            return self.cut(here, "a stretch of memory that is set is not followed");
        };
        for (_, size, var) in target {
            let mut value = byte;
            for _ in 1..size {
                value = self.graph.terms.concat(value, byte);
            }
            self.assign(frame, here, var, value, Kind::Assign);
        }
    }

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

    fn operation(&mut self, frame: &Frame, here: &mut Here, operation: &Operation, bits: u32) -> TermId {
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
                self.fail_if(here, wrong);
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

    fn terminator(&mut self, frame: &mut Frame, here: Here, function: &Function, id: BlockId, it: &Terminator) {
        match it {
            Terminator::Goto(next) => self.follow(frame, here, function, id, *next),
            Terminator::Branch { .. } => {
                let mut here = here;
                let always = self.graph.terms.truth(true);
                let mut ways = vec![];
                self.decide(frame, &mut here, function, id, always, &mut ways);
                // Ways to one block are one, unless something there depends on the way.
                let mut joined: Vec<(BlockId, BlockId, Vec<TermId>)> = vec![];
                for (from, next, holds) in ways {
                    let is_same = |one: &&mut (BlockId, BlockId, Vec<TermId>)| {
                        one.1 == next && phis(function, from, next).is_empty()
                    };
                    match joined.iter_mut().find(is_same) {
                        Some((_, _, all)) => all.push(holds),
                        None => joined.push((from, next, vec![holds])),
                    }
                }
                for (from, next, all) in joined {
                    let holds = self.graph.terms.or(all);
                    self.branch(frame, here, function, from, holds, next);
                }
            }
            Terminator::Switch(switch) => {
                let value = self.operand(frame, &switch.value);
                let width = self.graph.terms.width(value);
                let mut all = vec![];
                let mut ways: Vec<(BlockId, Vec<TermId>)> = vec![];
                for (constant, next) in &switch.cases {
                    let constant = self.graph.terms.bits(width, *constant);
                    let is_it = self.graph.terms.eq(value, constant);
                    all.push(is_it);
                    match ways.iter_mut().find(|(to, _)| to == next) {
                        Some((_, conditions)) => conditions.push(is_it),
                        None => ways.push((*next, vec![is_it])),
                    }
                }
                let some = self.graph.terms.or(all);
                let none = self.graph.terms.not(some);
                for (next, conditions) in ways {
                    let holds = self.graph.terms.or(conditions);
                    self.branch(frame, here, function, id, holds, next);
                }
                self.branch(frame, here, function, id, none, switch.default);
            }
            Terminator::Return(value) => {
                let mut here = here;
                if let Some(value) = value {
                    let value = self.operand(frame, value);
                    let bits = self.graph.terms.width(value);
                    let var = self.unnamed(Cell::Result(frame.call), bits);
                    self.step(&mut here, Statement::Assign { to: var, value }, Kind::Return);
                }
                self.go(here.location, frame.exit);
            }
            Terminator::Unreachable => {}
        }
    }

    /// The ways out of a condition, `a && b` being one: from which block, to which, and when.
    fn decide(
        &mut self,
        frame: &mut Frame,
        here: &mut Here,
        function: &Function,
        id: BlockId,
        so_far: TermId,
        ways: &mut Vec<(BlockId, BlockId, TermId)>,
    ) {
        let Terminator::Branch { condition, then, otherwise } = &function.blocks[id.index()].terminator.it else {
            return;
        };
        let condition = self.operand(frame, condition);
        let holds = self.graph.terms.bits_to_bool(condition);
        let not = self.graph.terms.not(holds);
        for (holds, next) in [(holds, *then), (not, *otherwise)] {
            let holds = self.graph.terms.and2(so_far, holds);
            if !frame.parts[next.index()] {
                ways.push((id, next, holds));
                continue;
            }
            for command in &function.blocks[next.index()].commands {
                self.command(frame, here, function, command);
            }
            self.decide(frame, here, function, next, holds, ways);
        }
    }

    fn branch(
        &mut self,
        frame: &mut Frame,
        here: Here,
        function: &Function,
        id: BlockId,
        holds: TermId,
        next: BlockId,
    ) {
        let mut branch = here;
        if self.graph.terms.truth_value(holds) != Some(false) {
            self.step(&mut branch, Statement::Assume(holds), Kind::Condition);
            self.follow(frame, branch, function, id, next);
        }
    }

    /// From the end of a block to the next: what depends on the way there gets its value.
    fn follow(&mut self, frame: &mut Frame, here: Here, function: &Function, from: BlockId, to: BlockId) {
        let mut here = here;
        let chosen: Vec<(RegId, TermId)> = phis(function, from, to)
            .into_iter()
            .map(|(register, value)| (register, self.operand(frame, value)))
            .collect();
        let several = chosen.len() > 1;
        let mut later = vec![];
        for (register, value) in chosen {
            let bits = self.graph.terms.width(value);
            let var = self.unnamed(Cell::Register(frame.call, register), bits);
            if several {
                self.saved += 1;
                let between = self.unnamed(Cell::Saved(self.saved), bits);
                self.step(&mut here, Statement::Assign { to: between, value }, Kind::Internal);
                later.push((var, self.value_of(between)));
            } else {
                later.push((var, value));
            }
        }
        for (var, value) in later {
            self.step(&mut here, Statement::Assign { to: var, value }, Kind::Internal);
        }
        self.go(here.location, frame.blocks[to.index()]);
    }
}

/// The blocks that only go on with the condition of the one block before them: they compute something, branch, and share a
/// target with it.
fn conditions(function: &Function, flow: &ControlFlow, crossing: &FxHashSet<RegId>) -> Vec<bool> {
    let mut parts = vec![false; function.blocks.len()];
    let mut blocks: Vec<usize> = (0..function.blocks.len()).filter(|number| flow.order[*number].is_some()).collect();
    blocks.sort_by_key(|number| flow.order[*number]);
    for number in blocks {
        let ([before], Terminator::Branch { .. }) =
            (&flow.predecessors[number][..], &function.blocks[number].terminator.it)
        else {
            continue;
        };
        // The targets of all that the condition has so far.
        let (mut targets, mut at) = (vec![], *before);
        while matches!(function.blocks[at.index()].terminator.it, Terminator::Branch { .. }) {
            targets.extend(&flow.successors[at.index()]);
            match &flow.predecessors[at.index()][..] {
                [before] if parts[at.index()] => at = *before,
                _ => break,
            }
        }
        let computes = function.blocks[number].commands.iter().all(|command| match &command.it {
            Command::Define { target, value } => {
                let divides =
                    |op: &BinaryOp| matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem);
                let is_plain = match value {
                    Operation::Phi(_) | Operation::Opaque { .. } => false,
                    Operation::Binary { op, .. } => !divides(op),
                    _ => true,
                };
                is_plain && !crossing.contains(target)
            }
            Command::Load { target, place, .. } => {
                let is_plain =
                    matches!(place, Place::Local(..) | Place::Memory(Operand::Global(..) | Operand::Local(..)));
                is_plain && !crossing.contains(target)
            }
            _ => false,
        });
        let shares = flow.successors[number].iter().any(|next| targets.contains(next) && next.index() != number);
        parts[number] = computes && shares;
    }
    parts
}

fn register(operand: &Operand) -> Option<RegId> {
    match operand {
        Operand::Register(register) => Some(*register),
        _ => None,
    }
}

/// The registers of a block that depend on the way there, with their values from one block.
fn phis(function: &Function, from: BlockId, to: BlockId) -> Vec<(RegId, &Operand)> {
    let commands = &function.blocks[to.index()].commands;
    let phi = |command: &'_ Located<Command>| match &command.it {
        Command::Define { target, value: Operation::Phi(_) } => Some(*target),
        _ => None,
    };
    let mut found = vec![];
    for command in commands {
        if let (Some(target), Command::Define { value: Operation::Phi(ways), .. }) = (phi(command), &command.it) {
            found.extend(ways.iter().find(|(block, _)| *block == from).map(|(_, value)| (target, value)));
        }
    }
    found
}

/// The registers that are used in other blocks than they are defined in, or depend on the way.
fn crossing(function: &Function) -> FxHashSet<RegId> {
    let mut home: FxHashMap<RegId, usize> = function.params.iter().map(|register| (*register, 0)).collect();
    let mut found = FxHashSet::default();
    for (number, block) in function.blocks.iter().enumerate() {
        for command in &block.commands {
            if let Some(defined) = command.it.defined() {
                home.insert(defined, number);
            }
        }
    }
    for (number, block) in function.blocks.iter().enumerate() {
        let commands =
            block.commands.iter().filter(|c| !matches!(c.it, Command::Define { value: Operation::Phi(_), .. }));
        let used = commands.flat_map(|command| command.it.operands()).chain(block.terminator.it.operand());
        found.extend(used.filter_map(register).filter(|register| home.get(register) != Some(&number)));
        for next in block.terminator.it.successors() {
            let values = phis(function, BlockId(number as u32), next);
            found.extend(
                values.iter().filter_map(|(_, value)| register(value)).filter(|r| home.get(r) != Some(&number)),
            );
        }
    }
    // What depends on the way is set where the way ends.
    for command in function.blocks.iter().flat_map(|block| &block.commands) {
        if let Command::Define { target, value: Operation::Phi(_) } = &command.it {
            found.remove(target);
        }
    }
    found
}
