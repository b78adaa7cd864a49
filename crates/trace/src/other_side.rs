//! What the side of a branch that was not taken may assign.
//!
//! Locals count by their names, calls through what their callees store. The pointer of a store is evaluated in the state
//! of the run at the branch, as far as that is possible; what cannot be evaluated is answered as unknown. Where the answer
//! has to be right in other states too, only what the program text says about a pointer counts.

mod places;
mod region;

use crate::decision::{Decisions, control};
use crate::endings::fails;
use crate::model::{BranchId, Storage, Trace};
use places::Places;
use region::{Change, How, Length, Pointer, Reach, Region, Root};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use wherefore_formula::{Terms, VarId};
use wherefore_program::{
    BlockId, Command, Flow, Function, FunctionId, LocalId, Operand, Operation, Origin, Place, Program, RegId,
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
    definitions: Vec<Definitions<'p>>,
    /// The other sides of branches, and all of each function.
    regions: FxHashMap<(FunctionId, BlockId, BlockId), Rc<Region<'p>>>,
    bodies: Vec<Rc<Region<'p>>>,
    reaches: Vec<Reach>,
    places: Places,
    by_address: FxHashMap<u64, Vec<VarId>>,
    by_local: FxHashMap<(u32, LocalId, u64), VarId>,
    scratch: Terms,
    /// Whether answers have to be right whatever the values of pointers and indices are.
    strict: bool,
}

/// A command: the order of its block, and its index there.
type Spot = (u32, usize);

/// What each register of a function is, and where it is computed.
type Definitions<'p> = Vec<Option<(Spot, &'p Command)>>;

/// In whose eyes an operand is evaluated: the activation of the branch, or a callee with known arguments.
struct Context<'a> {
    function: FunctionId,
    activation: Option<u32>,
    arguments: Vec<Option<u64>>,
    depth: usize,
    /// Where the blocks looked at assign locals: behind that their values are not those at the branch.
    assigned: &'a FxHashMap<LocalId, Vec<Spot>>,
}

impl Context<'_> {
    /// Whether a local has been assigned on the way to a command.
    fn is_assigned(&self, local: LocalId, at: Spot) -> bool {
        self.assigned.get(&local).is_some_and(|places| places.iter().any(|p| *p < at))
    }
}

impl<'p> OtherSide<'p> {
    /// Prepare for a program and a trace of it. With `strict` the answers are right whatever pointers and indices are.
    pub fn new(program: &'p Program, trace: &Trace, strict: bool) -> Self {
        let (flows, decisions) = control(program, trace.calls);
        let definitions: Vec<Definitions> =
            program.functions.iter().zip(&flows).map(|(f, flow)| defined(f, flow)).collect();
        let body = |(number, function): (usize, &Function)| {
            let blocks: Vec<BlockId> = (0..function.blocks.len() as u32).map(BlockId).collect();
            let id = FunctionId(number as u32);
            Rc::new(Region::new(program, id, &flows[number], &definitions[number], &blocks))
        };
        let bodies: Vec<Rc<Region>> = program.functions.iter().enumerate().map(body).collect();
        let (mut by_address, mut by_local) = (FxHashMap::<u64, Vec<VarId>>::default(), FxHashMap::default());
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
            regions: FxHashMap::default(),
            reaches: Reach::of_all(&bodies),
            bodies,
            places: Places::new(&trace.objects),
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
        let activation = Some(branch.activation);
        let context = Context { function, activation, arguments: vec![], depth: 0, assigned: &region.assigned };
        self.region_assigns(trace, &context, &region, var, state)
    }

    fn region(&mut self, function: FunctionId, head: BlockId, taken: BlockId) -> Rc<Region<'p>> {
        let found = self.regions.entry((function, head, taken));
        let (program, number) = (self.program, function.index());
        let (flow, decisions, definitions) = (&self.flows[number], &self.decisions[number], &self.definitions[number]);
        let region = || Region::new(program, function, flow, definitions, &decisions.other_side(flow, head, taken));
        found.or_insert_with(|| Rc::new(region())).clone()
    }

    fn region_assigns(
        &mut self,
        trace: &Trace,
        context: &Context,
        region: &Region,
        var: VarId,
        state: State,
    ) -> Elsewhere {
        let mut answer = Elsewhere::No;
        for change in &region.changes {
            match self.assigned_by(trace, context, change, var, state) {
                Elsewhere::No => {}
                yes @ Elsewhere::Yes(_) => return yes,
                unknown if answer == Elsewhere::No => answer = unknown,
                Elsewhere::Unknown(_) => {}
            }
        }
        answer
    }

    fn assigned_by(
        &mut self,
        trace: &Trace,
        context: &Context,
        change: &Change,
        var: VarId,
        state: State,
    ) -> Elsewhere {
        let variable = &trace.variables[var.0 as usize];
        match (&change.how, variable.address) {
            (How::Local(local, offset, bits), _) => {
                let Storage::Local { activation, local: l, offset: o } = variable.storage else {
                    return Elsewhere::No;
                };
                let same = context.activation == Some(activation) && *local == l;
                if same && overlap(*offset, u64::from(bits.div_ceil(8)), o, u64::from(variable.bits) / 8) {
                    Elsewhere::Yes(change.at)
                } else {
                    Elsewhere::No
                }
            }
            // What has no address is out of the reach of pointers.
            (_, None) => Elsewhere::No,
            (How::Pointer(to, length), Some(_)) => {
                let size = match length {
                    Length::Known(size) => Some(*size),
                    Length::Operand(length) => self.evaluate(trace, context, length, state),
                };
                self.pointer_assigns(trace, context, to, size, change.at, var, state)
            }
            (How::Library(arguments), Some(address)) => {
                self.library_assigns(trace, context, arguments, change.at, address, state)
            }
            (How::Call(callee, arguments), Some(_)) => {
                let global = match variable.storage {
                    Storage::Global { global, .. } => Some(global),
                    _ => None,
                };
                if !self.reaches[callee.index()].holds(global) {
                    return Elsewhere::No;
                }
                if context.depth >= CALL_DEPTH {
                    return if self.strict { Elsewhere::Unknown(change.at) } else { Elsewhere::No };
                }
                let body = self.bodies[callee.index()].clone();
                let arguments = arguments.iter().map(|a| self.evaluate(trace, context, a, state)).collect();
                let (function, assigned, depth) = (*callee, &body.assigned, context.depth + 1);
                let context = Context { function, activation: None, arguments, depth, assigned };
                match self.region_assigns(trace, &context, &body, var, state) {
                    Elsewhere::No => Elsewhere::No,
                    Elsewhere::Yes(_) => Elsewhere::Yes(change.at),
                    Elsewhere::Unknown(_) => Elsewhere::Unknown(change.at),
                }
            }
            (How::Anything, Some(_)) if self.strict => Elsewhere::Unknown(change.at),
            (How::Anything, Some(_)) => Elsewhere::No,
        }
    }

    /// A library function may write what it is given a pointer to.
    fn library_assigns(
        &mut self,
        trace: &Trace,
        context: &Context,
        arguments: &[Pointer],
        at: Option<Origin>,
        address: u64,
        state: State,
    ) -> Elsewhere {
        let mut answer = Elsewhere::No;
        for argument in arguments {
            let object = self.evaluate(trace, context, argument.operand, state).and_then(|to| self.places.at(to));
            match (argument.root, object) {
                (_, Some(object)) if object.contains(&address) => return Elsewhere::Yes(at),
                (Root::Unknown, _) if self.strict => answer = Elsewhere::Unknown(at),
                _ => {}
            }
        }
        answer
    }

    #[allow(clippy::too_many_arguments)]
    fn pointer_assigns(
        &mut self,
        trace: &Trace,
        context: &Context,
        pointer: &Pointer,
        size: Option<u64>,
        at: Option<Origin>,
        var: VarId,
        state: State,
    ) -> Elsewhere {
        let variable = &trace.variables[var.0 as usize];
        let Some(address) = variable.address else { return Elsewhere::No };
        // A named object is not reached through the name of another one, and what a callee declares was not there.
        match (pointer.root, &variable.storage) {
            (Root::Object(Operand::Local(l, _), _), Storage::Local { activation, local, .. })
                if context.activation == Some(*activation) && l == local => {}
            (Root::Object(Operand::Global(g, _), _), Storage::Global { global, .. }) if g == global => {}
            (Root::Object(..), _) => return Elsewhere::No,
            (Root::Unknown, _) => {}
        }
        let certain = matches!(pointer.root, Root::Object(_, true));
        match (self.evaluate(trace, context, pointer.operand, state), size) {
            (Some(to), Some(size)) if overlap(to, size, address, u64::from(variable.bits) / 8) => Elsewhere::Yes(at),
            (Some(_), Some(_)) if certain || !self.strict => Elsewhere::No,
            _ => Elsewhere::Unknown(at),
        }
    }

    /// The value of an operand at the branch, in the state of the run.
    fn evaluate(&mut self, trace: &Trace, context: &Context, operand: &Operand, state: State) -> Option<u64> {
        match operand {
            Operand::Constant { value, .. } => Some(*value as u64),
            Operand::Global(id, offset) => Some(self.places.global(*id)?.wrapping_add_signed(*offset)),
            Operand::Local(local, offset) => {
                Some(self.places.local(context.activation?, *local)?.wrapping_add_signed(*offset))
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
        let (at, definition) = self.definitions[context.function.index()][register.index()]?;
        match definition {
            Command::Define { value: Operation::Phi(_) | Operation::Opaque { .. }, .. } => None,
            Command::Define { value, .. } => {
                let mut values = vec![];
                for o in value.operands() {
                    let width = self.width(context.function, o);
                    values.push((width, u128::from(self.evaluate(trace, context, o, state)?)));
                }
                let bits = function.registers[register.index()];
                if let Some((number, _)) = wherefore_meaning::number(value, bits, &values) {
                    return Some(number as u64);
                }
                let mut next = values.into_iter();
                let (term, _) = wherefore_meaning::term(&mut self.scratch, value, bits, |terms, _| {
                    let (width, v) = next.next().expect("one per operand");
                    terms.bits(width, v)
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

fn defined<'p>(function: &'p Function, flow: &Flow) -> Definitions<'p> {
    let mut found = vec![None; function.registers.len()];
    for (number, block) in function.blocks.iter().enumerate() {
        let order = order(flow, BlockId(number as u32));
        for (index, command) in block.commands.iter().enumerate() {
            if let Some(register) = command.it.defined() {
                found[register.index()] = Some(((order, index), &command.it));
            }
        }
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
