//! One function: its frame, and the bookkeeping that lowering an instruction needs.

use super::scopes::Scopes;
use super::{Whole, assigned, locals};
use crate::debug_info::Node;
use crate::llvm::{Block as LlvmBlock, Opcode, Value};
use crate::plan::{Act, BlockPlan, FunctionPlan, Probe, Word};
use std::collections::{HashMap, HashSet};
use wherefore_program::{
    Block, BlockId, Command, Function, Global, LocalId, Located, Operand, Operation, Origin, POINT_BITS, RegId, Slot,
    Terminator,
};

/// A function being lowered.
pub(super) struct Body<'w, 'm> {
    pub whole: &'w mut Whole<'m>,
    pub globals: &'w [Global],
    pub function: Function,
    /// What each value is; pointers to locals that do not escape are here too and become places.
    pub values: HashMap<Value, Operand>,
    /// Values of two parts that never exist as one: results of checked arithmetic and of compare-and-exchange.
    pub pairs: HashMap<Value, [Operand; 2]>,
    pub locals: HashMap<Value, LocalId>,
    pub blocks: HashMap<LlvmBlock, BlockId>,
    /// Phis to be completed when all values are known: block, position, the instruction.
    pub phis: Vec<(BlockId, usize, Value)>,
    pub reachable: Vec<bool>,
    /// The block that commands go to, and the place they come from.
    pub block: BlockId,
    pub at: Option<Origin>,
    pub probe: Probe,
    pub safe: HashSet<Value>,
    /// Addresses in arrays that are members of structs: where the array begins, and its size in bytes.
    pub members: HashMap<Value, (Operand, u64)>,
    pub scopes: Scopes,
    probes: Vec<Vec<Probe>>,
    acts: Vec<Vec<Act>>,
    /// Loads of locals, recorded only if the local may be unassigned: block, position of command, of probe.
    local_loads: Vec<(BlockId, usize, usize)>,
}

/// Lowers a function with a body.
pub(super) fn lower_function(
    whole: &mut Whole,
    globals: &[Global],
    function: Value,
    first_block: u32,
) -> (Function, FunctionPlan) {
    let blocks = function.blocks();
    let mut body = Body::new(whole, globals, function, &blocks, first_block);
    let order = reverse_post_order(&blocks, &body.blocks);
    for &number in &order {
        body.reachable[number] = true;
    }
    for &number in &order {
        body.block = BlockId(number as u32);
        for instruction in blocks[number].instructions() {
            body.lower_instruction(instruction);
        }
    }
    body.complete_phis();
    assigned::mark_unassigned(&mut body.function);
    body.finish(function, &blocks)
}

impl<'w, 'm> Body<'w, 'm> {
    fn new(
        whole: &'w mut Whole<'m>,
        globals: &'w [Global],
        function: Value,
        blocks: &[LlvmBlock],
        first_block: u32,
    ) -> Body<'w, 'm> {
        let slots = locals::locals(whole, function);
        let ty = function.value_type();
        let params_recorded = whole.may_be_called_from_outside(function);
        let mut lowered = Function {
            name: super::c_name(function),
            origin: None,
            params: vec![],
            params_recorded,
            locals: vec![],
            registers: vec![],
            result: whole.width(ty.result()),
            result_type: None,
            variadic: ty.is_variadic(),
            blocks: blocks
                .iter()
                .map(|_| Block { commands: vec![], terminator: Located { it: Terminator::Unreachable, at: None } })
                .collect(),
            first_block,
            members: vec![],
            within: vec![],
        };
        if let Some(node) = function.subprogram().and_then(Node::new) {
            let d = node.describe();
            lowered.origin = whole.sources.place(d.file, d.line, 0);
            let signature = d.base.map(|s| s.elements(&s.describe())).unwrap_or_default();
            lowered.result_type = signature.first().copied().flatten().map(|result| whole.types.get(Some(result)));
        }
        let mut body = Body {
            whole,
            globals,
            function: lowered,
            values: HashMap::new(),
            members: HashMap::new(),
            pairs: HashMap::new(),
            locals: HashMap::new(),
            blocks: blocks.iter().enumerate().map(|(n, b)| (*b, BlockId(n as u32))).collect(),
            phis: vec![],
            reachable: vec![false; blocks.len()],
            block: BlockId(0),
            at: None,
            probe: Probe { instruction: function, before: vec![], after: vec![] },
            safe: HashSet::new(),
            scopes: Scopes::new(blocks.len()),
            probes: blocks.iter().map(|_| vec![]).collect(),
            acts: blocks.iter().map(|_| vec![]).collect(),
            local_loads: vec![],
        };
        for param in function.params() {
            // What is too wide to have a register still has its place in the list.
            let bits = body.whole.width(param.ty());
            let register = body.fresh(bits.unwrap_or(64));
            body.function.params.push(register);
            if bits.is_some() {
                body.values.insert(param, Operand::Register(register));
            }
        }
        for (slot, local) in slots {
            body.locals.insert(slot, LocalId(body.function.locals.len() as u32));
            body.function.locals.push(local);
        }
        body
    }

    fn lower_instruction(&mut self, instruction: Value) {
        self.at = self.origin(instruction);
        self.scopes.enter(instruction);
        self.probe = Probe { instruction, before: vec![], after: vec![] };
        self.instruction(instruction);
        let empty = Probe { instruction, before: vec![], after: vec![] };
        let probe = std::mem::replace(&mut self.probe, empty);
        if !probe.before.is_empty() || !probe.after.is_empty() {
            self.probes[self.block.index()].push(probe);
        }
    }

    /// Registers the load just emitted as one to be recorded only if its local may be unassigned.
    pub fn local_load(&mut self) {
        let position = self.commands().len() - 1;
        let probe = self.probes[self.block.index()].len();
        self.local_loads.push((self.block, position, probe));
    }

    fn finish(mut self, function: Value, blocks: &[LlvmBlock]) -> (Function, FunctionPlan) {
        self.function.within = self.scopes.finish(self.whole, function, &self.function.locals);
        for (block, command, probe) in &self.local_loads {
            let logged =
                matches!(self.function.blocks[block.index()].commands[*command].it, Command::Load { logged: true, .. });
            if !logged {
                self.probes[block.index()][*probe].after.clear();
            }
        }
        let first = self.function.first_block;
        let blocks = blocks
            .iter()
            .zip(self.probes.into_iter().zip(self.acts))
            .enumerate()
            .map(|(number, (block, (mut probes, acts)))| {
                probes.retain(|p| !p.before.is_empty() || !p.after.is_empty());
                BlockPlan { block: *block, number: first + number as u32, probes, acts }
            })
            .collect();
        let mut arguments = vec![];
        if self.function.params_recorded {
            for param in function.params() {
                // A word keeps the place of what has no register.
                let known = self.whole.width(param.ty()).is_some();
                arguments.push(if known { Word::Value(param) } else { Word::Constant(0) });
            }
        }
        (self.function, FunctionPlan { function, arguments, blocks, safe: self.safe })
    }

    pub fn commands(&mut self) -> &mut Vec<Located<Command>> {
        &mut self.function.blocks[self.block.index()].commands
    }

    /// A new register.
    pub fn fresh(&mut self, bits: u32) -> RegId {
        self.function.registers.push(bits);
        RegId(self.function.registers.len() as u32 - 1)
    }

    pub fn emit(&mut self, it: Command) {
        let at = self.at;
        let position = self.commands().len();
        self.scopes.emit(self.block, position);
        self.commands().push(Located { it, at });
    }

    /// Computes into a new register.
    pub fn define(&mut self, bits: u32, value: Operation) -> Operand {
        let target = self.fresh(bits);
        self.emit(Command::Define { target, value });
        Operand::Register(target)
    }

    /// Computes the result of an instruction.
    pub fn result(&mut self, instruction: Value, bits: u32, value: Operation) {
        let operand = self.define(bits, value);
        self.values.insert(instruction, operand);
    }

    /// The place of an instruction.
    pub fn origin(&mut self, instruction: Value) -> Option<Origin> {
        instruction.location().and_then(Node::new).and_then(|l| self.whole.sources.origin(l))
    }

    pub fn terminate(&mut self, it: Terminator) {
        let at = self.at;
        self.function.blocks[self.block.index()].terminator = Located { it, at };
    }

    pub fn target(&self, block: LlvmBlock) -> BlockId {
        self.blocks[&block]
    }

    pub fn note(&mut self, message: &str) {
        self.whole.sources.note(self.at, message);
    }

    /// Gives up on the program, because of something in this function.
    pub fn unsupported(&mut self, what: &str) {
        self.whole.unsupported(self.at.or(self.function.origin), what);
    }

    pub fn log_before(&mut self, word: Word) {
        self.probe.before.push(word);
    }

    pub fn log_after(&mut self, word: Word) {
        self.probe.after.push(word);
    }

    /// Says which operands of the instruction hold the values of the command just emitted.
    pub fn act(&mut self, slots: impl IntoIterator<Item = (Slot, u32)>) {
        let command = self.commands().len() as u32 - 1;
        self.add_act(Some(command), slots);
    }

    /// The same for what the block's terminator acts by, the instruction's first operand.
    pub fn act_at_end(&mut self, slot: Slot) {
        self.add_act(None, [(slot, 0)]);
    }

    fn add_act(&mut self, command: Option<u32>, slots: impl IntoIterator<Item = (Slot, u32)>) {
        let instruction = self.probe.instruction;
        let slots: Vec<_> =
            slots.into_iter().filter(|(_, operand)| self.is_forceable(instruction.operand(*operand))).collect();
        if !slots.is_empty() {
            self.acts[self.block.index()].push(Act { command, instruction, slots });
        }
    }

    /// Whether a value can be exchanged for another one given as a word.
    fn is_forceable(&self, value: Value) -> bool {
        let ty = value.ty();
        ty.is_pointer()
            || ty.is_plain_float()
            || ty.is_integer() && self.whole.module.width(ty) <= u64::from(POINT_BITS)
    }

    pub fn next_site(&mut self) -> u32 {
        self.whole.next_site += 1;
        self.whole.next_site - 1
    }

    /// The operand a value is; what the model has no register for is an undefined word.
    pub fn operand(&mut self, value: Value) -> Operand {
        if let Some(operand) = self.values.get(&value) {
            return operand.clone();
        }
        match self.whole.width(value.ty()) {
            None => Operand::Undefined { bits: 64 },
            Some(bits) if value.is_instruction() || value.kind() == crate::llvm::ValueKind::LLVMArgumentValueKind => {
                // Only in code that control does not reach, or for values noted where they were made.
                Operand::Undefined { bits }
            }
            Some(bits) => self.constant(value, bits),
        }
    }

    pub fn bits(&self, operand: &Operand) -> u32 {
        match operand {
            Operand::Register(id) => self.function.registers[id.index()],
            Operand::Constant { bits, .. } | Operand::Undefined { bits } => *bits,
            Operand::Global(..) | Operand::Local(..) | Operand::Function(_) | Operand::External(_) => 64,
        }
    }

    /// An instruction that is not modelled: its recorded value stands for it.
    pub fn opaque(&mut self, instruction: Value, what: &str) {
        self.note(&format!("{what} is not modelled; the recorded value stands for it"));
        let Some(bits) = self.whole.width(instruction.ty()) else {
            return;
        };
        let mut operands = vec![];
        for operand in instruction.operands() {
            if operand.is_thread_local_variable() {
                continue;
            }
            let modelled = !operand.is_function() && self.whole.width(operand.ty()).is_some();
            if modelled {
                operands.push(self.operand(operand));
            }
        }
        self.result(instruction, bits, Operation::Opaque { what: what.to_string(), operands });
        self.log_after(Word::Value(instruction));
    }

    fn complete_phis(&mut self) {
        for (block, position, phi) in std::mem::take(&mut self.phis) {
            let mut ways: Vec<(BlockId, Operand)> = vec![];
            for (from, value) in phi.incoming() {
                let from = self.target(from);
                if !self.reachable[from.index()] || ways.iter().any(|w| w.0 == from) {
                    continue;
                }
                // A constant that takes commands to compute is computed where control comes from.
                self.block = from;
                self.at = None;
                self.scopes.leave();
                let operand = self.operand(value);
                ways.push((from, operand));
            }
            if let Command::Define { value, .. } = &mut self.function.blocks[block.index()].commands[position].it {
                *value = Operation::Phi(ways);
            }
        }
    }
}

/// Numbers of the blocks that control reaches, each after all that dominate it.
fn reverse_post_order(blocks: &[LlvmBlock], numbers: &HashMap<LlvmBlock, BlockId>) -> Vec<usize> {
    let mut seen = vec![false; blocks.len()];
    let mut finished = vec![];
    let successors = |block: usize| -> Vec<usize> {
        let terminator = blocks[block].terminator();
        match terminator.opcode() {
            Opcode::LLVMRet | Opcode::LLVMUnreachable => vec![],
            _ => terminator.successors().iter().rev().map(|b| numbers[b].index()).collect(),
        }
    };
    seen[0] = true;
    let mut stack = vec![(0usize, successors(0).into_iter())];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next() {
            Some(next) if !seen[next] => {
                seen[next] = true;
                stack.push((next, successors(next).into_iter()));
            }
            Some(_) => {}
            None => {
                finished.push(*block);
                stack.pop();
            }
        }
    }
    finished.reverse();
    finished
}
