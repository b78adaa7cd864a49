//! What the side of a branch that was not taken may assign.
//!
//! Locals count by their names, calls through what their callees store. The pointer of a store is evaluated in the state
//! of the run at the branch, as far as that is possible; what cannot be evaluated is answered as unknown. Where the answer
//! has to be right in other states too, only what the program text says about a pointer counts.

use crate::decision::{Decisions, control};
use crate::endings::fails;
use crate::model::{BranchId, Storage, Trace};
use std::collections::HashMap;
use std::rc::Rc;
use wherefore_clib as clib;
use wherefore_formula::{Terms, VarId};
use wherefore_program::{
    BinaryOp, BlockId, Callee, Command, Flow, Function, FunctionId, LocalId, Located, Operand, Operation, Origin,
    Place, Program, RegId,
};

/// How deep calls are followed.
const CALL_DEPTH: usize = 4;

/// Whether the side not taken assigns a variable.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Elsewhere {
    /// It does not.
    No,
    /// It does, there.
    Yes(Option<Origin>),
    /// It writes through a pointer whose value cannot be told.
    Unknown(Option<Origin>),
}

/// The state of the run: values of variables.
pub type State<'a> = &'a dyn Fn(VarId) -> Option<u128>;

/// Answers what the sides not taken may assign.
pub struct OtherSide<'p> {
    program: &'p Program,
    flows: Vec<Flow>,
    decisions: Vec<Decisions>,
    definitions: Vec<HashMap<RegId, (Spot, &'p Command)>>,
    regions: HashMap<(FunctionId, BlockId, BlockId), Rc<Vec<BlockId>>>,
    by_address: HashMap<u64, Vec<VarId>>,
    by_local: HashMap<(u32, LocalId, u64), VarId>,
    scratch: Terms,
    /// Whether answers have to be right whatever the values of pointers and indices are.
    strict: bool,
}

/// What the program text says about where a pointer points.
enum Root {
    /// To this object, at an offset that is known or not.
    Object(Operand, bool),
    /// To what was not there at the branch.
    New,
    /// Nothing.
    Unknown,
}

/// A command: the order of its block, and its index there.
type Spot = (u32, usize);

/// In whose eyes an operand is evaluated: the activation of the branch, or a callee with known arguments.
#[derive(Clone)]
struct Context {
    function: FunctionId,
    activation: Option<u32>,
    arguments: Vec<Option<u64>>,
    depth: usize,
    /// Where the blocks looked at assign locals: behind that their values are not those at the branch.
    assigned: Rc<HashMap<LocalId, Vec<Spot>>>,
}

impl Context {
    /// Whether a local has been assigned on the way to a command.
    fn is_assigned(&self, local: LocalId, at: Spot) -> bool {
        self.assigned.get(&local).is_some_and(|places| places.iter().any(|p| *p < at))
    }
}

impl<'p> OtherSide<'p> {
    /// Prepare for a program and a trace of it. With `strict` the answers are right whatever pointers and indices are.
    pub fn new(program: &'p Program, trace: &Trace, strict: bool) -> Self {
        let (flows, decisions) = control(program, trace.calls);
        let definitions = program.functions.iter().zip(&flows).map(|(f, flow)| defined(f, flow)).collect();
        let (mut by_address, mut by_local) = (HashMap::<u64, Vec<VarId>>::new(), HashMap::new());
        for (index, variable) in trace.variables.iter().enumerate() {
            let id = VarId(index as u32);
            if let Some(address) = variable.address {
                by_address.entry(address).or_default().push(id);
            }
            if let Storage::Local { activation, local, offset } = variable.storage {
                by_local.insert((activation, local, offset), id);
            }
        }
        OtherSide {
            program,
            flows,
            decisions,
            definitions,
            regions: HashMap::new(),
            by_address,
            by_local,
            scratch: Terms::new(),
            strict,
        }
    }

    /// Whether control that would have gone another way than a branch comes to where it ended all the same, or can only
    /// fail.
    pub fn meets(&self, trace: &Trace, branch: BranchId) -> bool {
        let branch = &trace.branches[branch.index()];
        let (Some(head), Some(until)) = (branch.decision, branch.until) else { return true };
        let function = trace.activations[branch.activation as usize].function;
        let (flow, decisions) = (&self.flows[function.index()], &self.decisions[function.index()]);
        let passes = |exit: BlockId| {
            std::iter::successors(Some(exit), |b| flow.postdominator[b.index()]).any(|b| b == until)
                || self.fails(function, exit)
        };
        decisions.exits(flow, head).into_iter().filter(|e| *e != branch.taken).all(passes)
    }

    /// Whether all ways from a block fail.
    fn fails(&self, function: FunctionId, block: BlockId) -> bool {
        let flow = &self.flows[function.index()];
        let blocks = &self.program.functions[function.index()].blocks;
        flow.region(block, None)
            .iter()
            .all(|b| !flow.successors[b.index()].is_empty() || fails(self.program, &blocks[b.index()]))
    }

    /// Whether the side of a branch that was not taken may assign a variable.
    pub fn assigns(&mut self, trace: &Trace, branch: BranchId, var: VarId, state: State) -> Elsewhere {
        // What assigns a variable ends that nobody has set it.
        let var = match trace.variables[var.0 as usize].storage {
            Storage::Unset { of } => of,
            _ => var,
        };
        if matches!(trace.variables[var.0 as usize].storage, Storage::Global { global, .. } if self.program.globals[global.index()].constant)
        {
            return Elsewhere::No;
        }
        let branch = &trace.branches[branch.index()];
        let Some(head) = branch.decision else {
            // Another function might have been called.
            let in_memory = trace.variables[var.0 as usize].address.is_some();
            return if in_memory { Elsewhere::Unknown(branch.at) } else { Elsewhere::No };
        };
        let function = trace.activations[branch.activation as usize].function;
        let region = self.region(function, head, branch.taken);
        let assigned = self.assigned_locals(function, &region);
        let context = Context { function, activation: Some(branch.activation), arguments: vec![], depth: 0, assigned };
        self.blocks_assign(trace, &context, &region, var, state)
    }

    /// Which locals blocks assign, and where; what a function does with its arguments at its start does not count.
    fn assigned_locals(&self, id: FunctionId, blocks: &[BlockId]) -> Rc<HashMap<LocalId, Vec<Spot>>> {
        let function = &self.program.functions[id.index()];
        let mut assigned: HashMap<LocalId, Vec<Spot>> = HashMap::new();
        for block in blocks {
            for (index, command) in function.blocks[block.index()].commands.iter().enumerate() {
                if let Command::Store { place: Place::Local(local, _), value, .. } = &command.it
                    && !matches!(value, Operand::Register(r) if function.params.contains(r))
                {
                    assigned.entry(*local).or_default().push((order(&self.flows[id.index()], *block), index));
                }
            }
        }
        Rc::new(assigned)
    }

    fn region(&mut self, function: FunctionId, head: BlockId, taken: BlockId) -> Rc<Vec<BlockId>> {
        let (flow, decisions) = (&self.flows[function.index()], &self.decisions[function.index()]);
        self.regions
            .entry((function, head, taken))
            .or_insert_with(|| Rc::new(decisions.other_side(flow, head, taken)))
            .clone()
    }

    fn blocks_assign(
        &mut self,
        trace: &Trace,
        context: &Context,
        blocks: &[BlockId],
        var: VarId,
        state: State,
    ) -> Elsewhere {
        let program = self.program;
        let mut answer = Elsewhere::No;
        for block in blocks {
            for command in &program.functions[context.function.index()].blocks[block.index()].commands {
                match self.command_assigns(trace, context, command, var, state) {
                    Elsewhere::No => {}
                    yes @ Elsewhere::Yes(_) => return yes,
                    unknown if answer == Elsewhere::No => answer = unknown,
                    Elsewhere::Unknown(_) => {}
                }
            }
        }
        answer
    }

    fn command_assigns(
        &mut self,
        trace: &Trace,
        context: &Context,
        command: &Located<Command>,
        var: VarId,
        state: State,
    ) -> Elsewhere {
        match &command.it {
            Command::Store { place: Place::Local(local, offset), bits, .. } => {
                let Storage::Local { activation, local: l, offset: o } = trace.variables[var.0 as usize].storage else {
                    return Elsewhere::No;
                };
                let size = u64::from(trace.variables[var.0 as usize].bits) / 8;
                let same = context.activation == Some(activation) && *local == l;
                if same && overlap(*offset, u64::from(bits.div_ceil(8)), o, size) {
                    Elsewhere::Yes(command.at)
                } else {
                    Elsewhere::No
                }
            }
            Command::Store { place: Place::Memory(pointer), bits, .. } => {
                let size = Some(u64::from(bits.div_ceil(8)));
                self.pointer_assigns(trace, context, pointer, size, command.at, var, state)
            }
            Command::Copy { to, length, .. } | Command::Fill { to, length, .. } => {
                let size = self.evaluate(trace, context, length, state);
                self.pointer_assigns(trace, context, to, size, command.at, var, state)
            }
            Command::Call { callee: Callee::External(name), arguments, .. }
                if !clib::function(name).is_some_and(|f| f.only_reads()) =>
            {
                let function = clib::function(name);
                let changed = arguments.iter().enumerate().filter(|(i, _)| function.is_none_or(|f| f.may_change(*i)));
                let changed: Vec<&Operand> = changed.map(|(_, argument)| argument).collect();
                self.library_assigns(trace, context, &changed, command.at, var, state)
            }
            Command::Call { callee: Callee::Function(id), arguments, .. } if context.depth < CALL_DEPTH => {
                let arguments = arguments.iter().map(|a| self.evaluate(trace, context, a, state)).collect();
                let blocks: Vec<BlockId> =
                    (0..self.program.functions[id.index()].blocks.len() as u32).map(BlockId).collect();
                let assigned = self.assigned_locals(*id, &blocks);
                let depth = context.depth + 1;
                let callee = Context { function: *id, activation: None, arguments, depth, assigned };
                match self.blocks_assign(trace, &callee, &blocks, var, state) {
                    Elsewhere::No => Elsewhere::No,
                    Elsewhere::Yes(_) => Elsewhere::Yes(command.at),
                    Elsewhere::Unknown(_) => Elsewhere::Unknown(command.at),
                }
            }
            Command::Call { callee: Callee::Function(_) | Callee::Pointer(_) | Callee::Assembly, .. }
                if self.strict && trace.variables[var.0 as usize].address.is_some() =>
            {
                Elsewhere::Unknown(command.at)
            }
            _ => Elsewhere::No,
        }
    }

    /// A library function may write what it is given a pointer to.
    fn library_assigns(
        &mut self,
        trace: &Trace,
        context: &Context,
        arguments: &[&Operand],
        at: Option<Origin>,
        var: VarId,
        state: State,
    ) -> Elsewhere {
        let Some(address) = trace.variables[var.0 as usize].address else { return Elsewhere::No };
        let mut answer = Elsewhere::No;
        for argument in arguments {
            if self.width(context.function, argument) != 64 {
                continue;
            }
            let root = self.root(context, argument);
            let object = self.evaluate(trace, context, argument, state).and_then(|to| {
                let holds = |o: &&crate::memory::Object| o.base != 0 && o.base <= to && to - o.base < o.size;
                trace.objects.iter().skip(1).rev().find(holds)
            });
            match (root, object) {
                (_, Some(o)) if o.base <= address && address - o.base < o.size => return Elsewhere::Yes(at),
                (Root::Unknown, _) if self.strict => answer = Elsewhere::Unknown(at),
                _ => {}
            }
        }
        answer
    }

    /// What the program text says about where a pointer points.
    fn root(&self, context: &Context, pointer: &Operand) -> Root {
        match pointer {
            Operand::Local(..) if context.activation.is_none() => Root::New,
            Operand::Local(..) | Operand::Global(..) => Root::Object(pointer.clone(), true),
            Operand::Register(register) => match self.definitions[context.function.index()].get(register) {
                Some((_, Command::Define { value: Operation::Copy(from), .. })) => self.root(context, from),
                Some((_, Command::Define { value: Operation::Binary { op: BinaryOp::Add, left, right, .. }, .. })) => {
                    let known = matches!(right, Operand::Constant { .. });
                    match self.root(context, left) {
                        Root::Object(object, exact) => Root::Object(object, exact && known),
                        other => other,
                    }
                }
                _ => Root::Unknown,
            },
            _ => Root::Unknown,
        }
    }

    #[allow(clippy::too_many_arguments)]
    fn pointer_assigns(
        &mut self,
        trace: &Trace,
        context: &Context,
        pointer: &Operand,
        size: Option<u64>,
        at: Option<Origin>,
        var: VarId,
        state: State,
    ) -> Elsewhere {
        let variable = &trace.variables[var.0 as usize];
        let Some(address) = variable.address else { return Elsewhere::No };
        // A named object is not reached through the name of another one.
        let root = self.root(context, pointer);
        match (&root, &variable.storage) {
            (Root::New, _) => return Elsewhere::No,
            (Root::Object(Operand::Local(l, _), _), Storage::Local { activation, local, .. })
                if context.activation == Some(*activation) && l == local => {}
            (Root::Object(Operand::Global(g, _), _), Storage::Global { global, .. }) if g == global => {}
            (Root::Object(..), _) => return Elsewhere::No,
            (Root::Unknown, _) => {}
        }
        let certain = matches!(root, Root::Object(_, true));
        match (self.evaluate(trace, context, pointer, state), size) {
            (Some(to), Some(size)) if overlap(to, size, address, u64::from(variable.bits) / 8) => Elsewhere::Yes(at),
            (Some(_), Some(_)) if certain || !self.strict => Elsewhere::No,
            _ => Elsewhere::Unknown(at),
        }
    }

    /// The value of an operand at the branch, in the state of the run.
    fn evaluate(&mut self, trace: &Trace, context: &Context, operand: &Operand, state: State) -> Option<u64> {
        match operand {
            Operand::Constant { value, .. } => Some(*value as u64),
            Operand::Global(id, offset) => {
                let base = trace.objects.iter().find_map(|o| match o.kind {
                    crate::memory::ObjectKind::Global(g) if g == *id => Some(o.base),
                    _ => None,
                })?;
                Some(base.wrapping_add_signed(*offset))
            }
            Operand::Local(local, offset) => {
                let activation = context.activation?;
                let base = trace.objects.iter().rev().find_map(|o| match o.kind {
                    crate::memory::ObjectKind::Local { activation: a, local: l, .. }
                        if a == activation && l == *local =>
                    {
                        Some(o.base)
                    }
                    _ => None,
                })?;
                Some(base.wrapping_add_signed(*offset))
            }
            Operand::Register(register) => self.evaluate_register(trace, context, *register, state),
            Operand::Function(_) | Operand::External(_) | Operand::Undefined { .. } => None,
        }
    }

    fn evaluate_register(&mut self, trace: &Trace, context: &Context, register: RegId, state: State) -> Option<u64> {
        let function = &self.program.functions[context.function.index()];
        if let Some(index) = function.params.iter().position(|p| *p == register) {
            return *context.arguments.get(index)?;
        }
        let (at, definition) = *self.definitions[context.function.index()].get(&register)?;
        match definition {
            Command::Define { value: Operation::Phi(_) | Operation::Opaque { .. }, .. } => None,
            Command::Define { value, .. } => {
                let operands = value.operands();
                let mut values = vec![];
                for o in operands {
                    values.push((self.evaluate(trace, context, o, state)?, self.width(context.function, o)));
                }
                let bits = function.registers[register.index()];
                let mut next = values.into_iter();
                let (term, _) = wherefore_meaning::term(&mut self.scratch, value, bits, |terms, _| {
                    let (v, width) = next.next().expect("one per operand");
                    terms.bits(width, u128::from(v))
                })?;
                self.scratch.constant(term).map(|v| v as u64)
            }
            Command::Load { place: Place::Local(local, _), .. } if context.is_assigned(*local, at) => None,
            Command::Load { place: Place::Local(local, offset), .. } => match context.activation {
                Some(activation) => state(*self.by_local.get(&(activation, *local, *offset))?).map(|v| v as u64),
                None => *context.arguments.get(function.locals[local.index()].param? as usize)?,
            },
            Command::Load { place: Place::Memory(pointer), .. } => {
                let address = self.evaluate(trace, context, pointer, state)?;
                let bits = function.registers[register.index()];
                let vars = self.by_address.get(&address)?;
                vars.iter()
                    .rev()
                    .filter(|v| trace.variables[v.0 as usize].bits == bits)
                    .find_map(|v| state(*v))
                    .map(|v| v as u64)
            }
            _ => None,
        }
    }

    fn width(&self, function: FunctionId, operand: &Operand) -> u32 {
        match operand {
            Operand::Register(r) => self.program.functions[function.index()].registers[r.index()],
            Operand::Constant { bits, .. } | Operand::Undefined { bits } => *bits,
            _ => 64,
        }
    }
}

/// What each register is, and where it is computed.
fn defined<'p>(function: &'p Function, flow: &Flow) -> HashMap<RegId, (Spot, &'p Command)> {
    let mut found = HashMap::new();
    for (number, block) in function.blocks.iter().enumerate() {
        let order = order(flow, BlockId(number as u32));
        let commands = block.commands.iter().enumerate();
        found.extend(commands.filter_map(|(index, c)| Some((c.it.defined()?, ((order, index), &c.it)))));
    }
    found
}

/// Where a block stands on the way through its function; a loop's next round comes later.
fn order(flow: &Flow, block: BlockId) -> u32 {
    flow.order[block.index()].unwrap_or(u32::MAX)
}

fn overlap(a: u64, a_size: u64, b: u64, b_size: u64) -> bool {
    a < b.saturating_add(b_size) && b < a.saturating_add(a_size)
}
