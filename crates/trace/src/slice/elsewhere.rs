//! What the sides not taken may set, as far as the text of the program tells: by name, and through pointers that begin at a
//! name. See [`crate::OtherSide`], which answers the same of a trace.

use super::pointers::{Number, Pointer};
use crate::decision::Decisions;
use crate::endings::{Calls, Endings};
use crate::walk::{Analysis, Layout, Recorded};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;
use wherefore_clib as clib;
use wherefore_program::{
    BinaryOp, BlockId, Callee, Command, Flow, FunctionId, LocalId, Operand, Operation, Place, Program, RegId,
};

/// How deep calls are followed, as a story does.
const CALL_DEPTH: usize = 4;
/// Commands of a side that are looked at for each of their calls.
const FUEL: usize = 2_000;
/// So many pointers of a side are looked up in the run, none of which takes more than so much to compute.
const MOST: usize = 64;
const LARGEST: usize = 32;

/// What one side of a decision may set.
#[derive(Clone, Debug, Default)]
pub struct Side<'p> {
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
    /// Through pointers that have to be looked up in the run.
    pub pointers: Vec<Pointer<'p>>,
    /// The locals without an address that these are computed from.
    pub ingredients: Vec<(u64, u64)>,
}

/// In whose eyes an operand is looked at: the activation of the decision, or a callee with these arguments.
struct Context<'p> {
    id: FunctionId,
    depth: usize,
    arguments: Vec<Option<Number<'p>>>,
    /// Where the blocks looked at assign locals: behind that these are not what they were at the decision.
    assigned: FxHashMap<LocalId, Vec<Spot>>,
}

/// A command: the order of its block, and its index there.
type Spot = (u32, usize);

/// What computes each register of a function, and where.
type Definitions<'p> = Rc<FxHashMap<RegId, (Spot, &'p Command)>>;

/// Knows the sides of all decisions; each is looked at once.
pub struct Sides<'a> {
    program: &'a Program,
    recorded: &'a Recorded<'a>,
    flows: Arc<[Flow]>,
    decisions: Arc<[Decisions]>,
    endings: Arc<Endings>,
    layout: Arc<Layout>,
    definitions: Vec<Option<Definitions<'a>>>,
    known: FxHashMap<(FunctionId, BlockId, BlockId), Rc<Side<'a>>>,
    /// Where the ways meet of the decisions around a block.
    around: FxHashMap<(FunctionId, BlockId), Rc<Vec<BlockId>>>,
    /// Functions in which a decision may have ended the program, or in what they call.
    open: Vec<bool>,
}

impl<'a> Sides<'a> {
    pub fn new(
        program: &'a Program,
        recorded: &'a Recorded<'a>,
        analysis: &Analysis,
        layout: Arc<Layout>,
    ) -> Sides<'a> {
        let Analysis { flows, decisions, endings, .. } = analysis.clone();
        let definitions = vec![None; program.functions.len()];
        let known = FxHashMap::default();
        let open = may_stay_open(program, &endings);
        Sides {
            program,
            recorded,
            flows,
            decisions,
            endings,
            layout,
            definitions,
            known,
            around: FxHashMap::default(),
            open,
        }
    }

    /// Whether what comes after a function may depend on how decisions in it went, whatever it gives and sets.
    pub fn may_stay_open(&self, function: FunctionId) -> bool {
        self.open[function.index()]
    }

    /// Where the ways meet of the decisions that are open in any case when control is in a block.
    pub fn joins_around(&mut self, id: FunctionId, block: BlockId) -> Rc<Vec<BlockId>> {
        if let Some(joins) = self.around.get(&(id, block)) {
            return joins.clone();
        }
        let (flow, decisions) = (&self.flows[id.index()], &self.decisions[id.index()]);
        let heads = (0..flow.successors.len() as u32).map(BlockId);
        let heads = heads.filter(|h| *h != block && decisions.head[h.index()] == Some(*h) && flow.dominates(*h, block));
        let heads: Vec<BlockId> = heads.filter(|h| !decisions.is_member(*h, block)).collect();
        let mut joins = vec![];
        for head in heads {
            let join = self.decisions[id.index()].join[head.index()].filter(|join| !joins.contains(join));
            let Some(join) = join else { continue };
            // Beyond the join control comes to the block only through the decision, and none of its ways is a check.
            let again = self.flows[id.index()].region(join, Some(head)).contains(&block);
            let (flow, decisions) = (&self.flows[id.index()], &self.decisions[id.index()]);
            let mut exits = decisions.exits(flow, head).into_iter();
            if !again && join != block && !exits.any(|exit| self.of(id, head, exit).is_check) {
                joins.push(join);
            }
        }
        let joins = Rc::new(joins);
        self.around.insert((id, block), joins.clone());
        joins
    }

    /// What the side may set that a decision does not take.
    pub fn of(&mut self, function: FunctionId, head: BlockId, taken: BlockId) -> Rc<Side<'a>> {
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
        let context = self.context(function, &blocks, 0, vec![]);
        let mut fuel = FUEL;
        self.add(&context, &blocks, &mut side, &mut vec![], &mut fuel);
        for pointer in &side.pointers {
            pointer.to.locals(&mut side.ingredients);
            pointer.size.iter().for_each(|size| size.locals(&mut side.ingredients));
        }
        side.ingredients.sort_unstable();
        side.ingredients.dedup();
        side.globals.sort_unstable();
        side.globals.dedup();
        side.locals.sort_unstable();
        side.locals.dedup();
        let side = Rc::new(side);
        self.known.insert((function, head, taken), side.clone());
        side
    }

    fn context(
        &mut self,
        id: FunctionId,
        blocks: &[BlockId],
        depth: usize,
        arguments: Vec<Option<Number<'a>>>,
    ) -> Context<'a> {
        let function = &self.program.functions[id.index()];
        let mut assigned: FxHashMap<LocalId, Vec<Spot>> = FxHashMap::default();
        for block in blocks {
            let order = order(&self.flows[id.index()], *block);
            for (index, command) in function.blocks[block.index()].commands.iter().enumerate() {
                if let Command::Store { place: Place::Local(local, _), value, .. } = &command.it
                    && !matches!(value, Operand::Register(r) if function.params.contains(r))
                {
                    assigned.entry(*local).or_default().push((order, index));
                }
            }
        }
        Context { id, depth, arguments, assigned }
    }

    fn add(
        &mut self,
        context: &Context<'a>,
        blocks: &[BlockId],
        side: &mut Side<'a>,
        seen: &mut Vec<(FunctionId, usize)>,
        fuel: &mut usize,
    ) {
        let (program, id, depth) = (self.program, context.id, context.depth);
        let function = &program.functions[id.index()];
        for block in blocks {
            for command in &function.blocks[block.index()].commands {
                *fuel = fuel.saturating_sub(1);
                match &command.it {
                    Command::Store { place: Place::Local(local, offset), bits, .. } if depth == 0 => {
                        let place = self.layout.place(id, *local, *offset);
                        side.locals.push((place, u64::from(bits.div_ceil(8))));
                    }
                    Command::Store { place: Place::Memory(pointer), bits, .. } => {
                        let size = Number::Constant(64, u128::from(bits.div_ceil(8)));
                        self.reach(context, pointer, Some(Some(size)), side);
                    }
                    Command::Copy { to, length, .. } | Command::Fill { to, length, .. } => {
                        let size = self.number(context, length);
                        self.reach(context, to, Some(size), side);
                    }
                    Command::Call { callee: Callee::External(name), arguments, .. } => {
                        let known = clib::function(name);
                        if known.is_some_and(|f| f.only_reads()) {
                            continue;
                        }
                        for (index, argument) in arguments.iter().enumerate() {
                            if known.is_none_or(|f| f.may_change(index)) && self.width(id, argument) == 64 {
                                self.reach(context, argument, None, side);
                            }
                        }
                    }
                    Command::Call { callee: Callee::Function(callee), arguments, .. } if depth < CALL_DEPTH => {
                        // With other arguments it sets something else, as long as not too much is called.
                        let is_seen = seen.iter().any(|(f, d)| f == callee && *d <= depth + 1);
                        if is_seen && *fuel == 0 {
                            continue;
                        }
                        seen.push((*callee, depth + 1));
                        let arguments = arguments.iter().map(|a| self.number(context, a)).collect();
                        let count = program.functions[callee.index()].blocks.len() as u32;
                        let whole: Vec<BlockId> = (0..count).map(BlockId).collect();
                        let inner = self.context(*callee, &whole, depth + 1, arguments);
                        self.add(&inner, &whole, side, seen, fuel);
                    }
                    _ => {}
                }
            }
        }
    }

    fn width(&self, id: FunctionId, operand: &Operand) -> u32 {
        match operand {
            Operand::Register(r) => self.program.functions[id.index()].registers[r.index()],
            Operand::Constant { bits, .. } | Operand::Undefined { bits } => *bits,
            _ => 64,
        }
    }

    /// How an operand is computed from the state at the decision.
    fn number(&mut self, context: &Context<'a>, operand: &Operand) -> Option<Number<'a>> {
        let found = match operand {
            Operand::Constant { bits, value } => Number::Constant(*bits, *value),
            Operand::Global(global, offset) => {
                let address = self.recorded.globals.get(global.index())?.address;
                Number::Constant(64, u128::from(address.wrapping_add_signed(*offset)))
            }
            Operand::Local(local, offset) if context.depth == 0 => Number::Place(*local, *offset),
            Operand::Register(register) => self.computed(context, *register)?,
            _ => return None,
        };
        (found.size() <= LARGEST).then_some(found)
    }

    fn computed(&mut self, context: &Context<'a>, register: RegId) -> Option<Number<'a>> {
        let function = &self.program.functions[context.id.index()];
        if let Some(index) = function.params.iter().position(|p| *p == register) {
            return context.arguments.get(index)?.clone();
        }
        let (at, definition) = self.defined(context.id, register)?;
        let bits = function.registers[register.index()];
        match definition {
            Command::Define { value: Operation::Phi(_) | Operation::Opaque { .. }, .. } => None,
            Command::Define { value, .. } => {
                let operands = value.operands();
                let operands = operands.into_iter().map(|o| self.number(context, o)).collect::<Option<_>>()?;
                Some(Number::Computed(value, bits, operands))
            }
            Command::Load { place: Place::Local(local, offset), .. } => {
                let assigned = context.assigned.get(local);
                if assigned.is_some_and(|places| places.iter().any(|p| *p < at)) {
                    return None;
                }
                match context.depth {
                    0 => Some(Number::Local(self.layout.place(context.id, *local, *offset), bits)),
                    _ => context.arguments.get(function.locals[local.index()].param? as usize)?.clone(),
                }
            }
            Command::Load { place: Place::Memory(pointer), .. } => {
                Some(Number::Loaded(Box::new(self.number(context, pointer)?), bits))
            }
            _ => None,
        }
    }

    /// Bytes behind a pointer may be set: so many where that is known, and where it is known which object it points into.
    /// `size`: nothing where it is the whole object.
    fn reach(
        &mut self,
        context: &Context<'a>,
        pointer: &Operand,
        size: Option<Option<Number<'a>>>,
        side: &mut Side<'a>,
    ) {
        let (id, depth) = (context.id, context.depth);
        let root = self.root(id, pointer);
        // An index is what it was in the run, as a pointer is.
        if root.as_ref().is_none_or(|(_, exact)| !exact) {
            let to = self.number(context, pointer).filter(|_| side.pointers.len() < MOST);
            match (to, &size) {
                (Some(to), None) => return side.pointers.push(Pointer { to, size: None }),
                (Some(to), Some(Some(size))) => return side.pointers.push(Pointer { to, size: Some(size.clone()) }),
                _ => {}
            }
        }
        let Some((object, exact)) = root else { return };
        let size = match size {
            Some(Some(Number::Constant(_, size))) if exact => Some(size as u64),
            _ => None,
        };
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
        self.defined(id, register).map(|(_, command)| command)
    }

    fn defined(&mut self, id: FunctionId, register: RegId) -> Option<(Spot, &'a Command)> {
        let function = &self.program.functions[id.index()];
        let flow = &self.flows[id.index()];
        let all = self.definitions[id.index()].get_or_insert_with(|| {
            let mut found = FxHashMap::default();
            for (number, block) in function.blocks.iter().enumerate() {
                let order = order(flow, BlockId(number as u32));
                let commands = block.commands.iter().enumerate();
                found.extend(commands.filter_map(|(index, c)| Some((c.it.defined()?, ((order, index), &c.it)))));
            }
            Rc::new(found)
        });
        all.get(&register).copied()
    }
}

/// Where a block stands on the way through its function; a loop's next round comes later.
fn order(flow: &Flow, block: BlockId) -> u32 {
    flow.order[block.index()].unwrap_or(u32::MAX)
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
