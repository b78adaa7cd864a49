//! What the sides not taken may set, as far as the text of the program tells: by name, and through pointers that begin at a
//! name. See [`crate::OtherSide`], which answers the same of a trace.

use crate::decision::Decisions;
use crate::endings::{Calls, Endings};
use crate::walk::{Layout, Recorded};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use wherefore_clib as clib;
use wherefore_program::{
    BinaryOp, BlockId, Callee, Command, Flow, FunctionId, LocalId, Operand, Operation, Place, Program, RegId,
};

/// How deep calls are followed, as a story does.
const CALL_DEPTH: usize = 4;

/// What one side of a decision may set.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// It may end the program.
    pub leaves: bool,
    /// It only ends the program, which is taken not to happen.
    pub is_check: bool,
    /// Bytes of the activation's locals without an address.
    pub locals: Vec<(u64, u64)>,
    /// Locals with one: an offset and a number of bytes.
    pub placed: Vec<(LocalId, u64, u64)>,
    /// Addresses.
    pub globals: Vec<(u64, u64)>,
}

/// Knows the sides of all decisions; each is looked at once.
pub struct Sides<'a> {
    program: &'a Program,
    recorded: &'a Recorded<'a>,
    flows: &'a [Flow],
    decisions: &'a [Decisions],
    endings: &'a Endings,
    layout: &'a Layout,
    definitions: Vec<Option<Rc<FxHashMap<RegId, &'a Command>>>>,
    known: FxHashMap<(FunctionId, BlockId, BlockId), Rc<Side>>,
    /// Functions in which a decision may have ended the program, or in what they call.
    open: Vec<bool>,
}

impl<'a> Sides<'a> {
    pub fn new(
        program: &'a Program,
        recorded: &'a Recorded<'a>,
        (flows, decisions): (&'a [Flow], &'a [Decisions]),
        endings: &'a Endings,
        layout: &'a Layout,
    ) -> Sides<'a> {
        let definitions = vec![None; program.functions.len()];
        let known = FxHashMap::default();
        let open = may_stay_open(program, endings);
        Sides { program, recorded, flows, decisions, endings, layout, definitions, known, open }
    }

    /// Whether what comes after a function may depend on how decisions in it went, whatever it gives and sets.
    pub fn may_stay_open(&self, function: FunctionId) -> bool {
        self.open[function.index()]
    }

    /// What the side may set that a decision does not take.
    pub fn of(&mut self, function: FunctionId, head: BlockId, taken: BlockId) -> Rc<Side> {
        if let Some(side) = self.known.get(&(function, head, taken)) {
            return side.clone();
        }
        let blocks = self.decisions[function.index()].other_side(&self.flows[function.index()], head, taken);
        let all = &self.program.functions[function.index()].blocks;
        let mut side = Side { leaves: blocks.iter().any(|b| self.endings.ends(&all[b.index()])), ..Side::default() };
        let (flow, decisions) = (&self.flows[function.index()], &self.decisions[function.index()]);
        let others: Vec<BlockId> = decisions.exits(flow, head).into_iter().filter(|e| *e != taken).collect();
        let until = decisions.join[head.index()].or(Some(taken));
        side.is_check = self.endings.calls == Calls::Return
            && self.endings.gives_up(&self.program.functions[function.index()], others, until);
        let mut seen = vec![];
        self.add(function, &blocks, 0, &mut side, &mut seen);
        side.globals.sort_unstable();
        side.globals.dedup();
        side.locals.sort_unstable();
        side.locals.dedup();
        let side = Rc::new(side);
        self.known.insert((function, head, taken), side.clone());
        side
    }

    fn add(
        &mut self,
        id: FunctionId,
        blocks: &[BlockId],
        depth: usize,
        side: &mut Side,
        seen: &mut Vec<(FunctionId, usize)>,
    ) {
        let program = self.program;
        let function = &program.functions[id.index()];
        for block in blocks {
            for command in &function.blocks[block.index()].commands {
                match &command.it {
                    Command::Store { place: Place::Local(local, offset), bits, .. } if depth == 0 => {
                        let place = self.layout.place(id, *local, *offset);
                        side.locals.push((place, u64::from(bits.div_ceil(8))));
                    }
                    Command::Store { place: Place::Memory(pointer), bits, .. } => {
                        self.reach(id, pointer, Some(u64::from(bits.div_ceil(8))), depth, side);
                    }
                    Command::Copy { to, length, .. } | Command::Fill { to, length, .. } => {
                        let size =
                            if let Operand::Constant { value, .. } = length { Some(*value as u64) } else { None };
                        self.reach(id, to, size, depth, side);
                    }
                    Command::Call { callee: Callee::External(name), arguments, .. } => {
                        let known = clib::function(name);
                        if known.is_some_and(|f| f.only_reads()) {
                            continue;
                        }
                        for (index, argument) in arguments.iter().enumerate() {
                            if known.is_none_or(|f| f.may_change(index)) {
                                self.reach(id, argument, None, depth, side);
                            }
                        }
                    }
                    Command::Call { callee: Callee::Function(callee), .. } if depth < CALL_DEPTH => {
                        if seen.iter().any(|(f, d)| f == callee && *d <= depth + 1) {
                            continue;
                        }
                        seen.push((*callee, depth + 1));
                        let count = program.functions[callee.index()].blocks.len() as u32;
                        let whole: Vec<BlockId> = (0..count).map(BlockId).collect();
                        self.add(*callee, &whole, depth + 1, side, seen);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Bytes behind a pointer may be set: so many where that is known, and where it is known which object it points into.
    fn reach(&mut self, id: FunctionId, pointer: &Operand, size: Option<u64>, depth: usize, side: &mut Side) {
        let Some((object, exact)) = self.root(id, pointer) else { return };
        let size = size.filter(|_| exact);
        match object {
            Operand::Global(global, offset) => {
                let Some(image) = self.recorded.globals.get(global.index()) else { return };
                let whole = self.program.globals[global.index()].size.max(image.size);
                side.globals.push(match size {
                    Some(size) => (image.address.wrapping_add_signed(offset), size),
                    None => (image.address, whole),
                });
            }
            Operand::Local(local, offset) if depth == 0 => {
                let whole = self.program.functions[id.index()].locals[local.index()].size.unwrap_or(1 << 16);
                side.placed.push(match size {
                    Some(size) => (local, offset as u64, size),
                    None => (local, 0, whole),
                });
            }
            _ => {}
        }
    }

    /// The object that a pointer begins at, with the offset from it where `exact`.
    fn root(&mut self, id: FunctionId, pointer: &Operand) -> Option<(Operand, bool)> {
        match pointer {
            Operand::Local(..) | Operand::Global(..) => Some((pointer.clone(), true)),
            Operand::Register(register) => match self.definition(id, *register)? {
                Command::Define { value: Operation::Copy(from), .. } => self.root(id, from),
                Command::Define { value: Operation::Binary { op: BinaryOp::Add, left, right, .. }, .. } => {
                    let (object, exact) = self.root(id, left)?;
                    Some(match (object, right) {
                        (Operand::Global(g, o), Operand::Constant { value, .. }) if exact => {
                            (Operand::Global(g, o.wrapping_add(*value as i64)), true)
                        }
                        (Operand::Local(l, o), Operand::Constant { value, .. }) if exact => {
                            (Operand::Local(l, o.wrapping_add(*value as i64)), true)
                        }
                        (object, _) => (object, false),
                    })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The command that computes a register.
    pub fn definition(&mut self, id: FunctionId, register: RegId) -> Option<&'a Command> {
        let function = &self.program.functions[id.index()];
        let all = self.definitions[id.index()].get_or_insert_with(|| {
            let commands = function.blocks.iter().flat_map(|b| &b.commands);
            Rc::new(commands.filter_map(|c| Some((c.it.defined()?, &c.it))).collect())
        });
        all.get(&register).copied()
    }
}

/// For each function whether it, or what it calls, may have ended the program. Who is called by a pointer is not known.
fn may_stay_open(program: &Program, endings: &Endings) -> Vec<bool> {
    let mut open = vec![false; program.functions.len()];
    loop {
        let opens = |command: &Command| match command {
            Command::Call { callee: Callee::Function(id), .. } => open[id.index()],
            Command::Call { callee: Callee::Pointer(_), .. } => true,
            _ => false,
        };
        let may = |f: &wherefore_program::Function| {
            f.blocks.iter().any(|b| endings.ends(b) || b.commands.iter().any(|c| opens(&c.it)))
        };
        let found: Vec<bool> = program.functions.iter().map(may).collect();
        if found == open {
            return open;
        }
        open = found;
    }
}
