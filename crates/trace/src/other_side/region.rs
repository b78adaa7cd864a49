//! What some blocks of a function may change, read off the program's text once.

use super::{Definitions, Spot, order};
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::rc::Rc;
use wherefore_clib as clib;
use wherefore_program::{
    BinaryOp, BlockId, Callee, Command, Flow, Function, FunctionId, GlobalId, LocalId, Operand, Operation, Origin,
    Place, Program,
};

/// Some blocks of a function.
pub(super) struct Region<'p> {
    pub changes: Vec<Change<'p>>,
    /// Where they assign locals; what a function does with its arguments at its start does not count.
    pub assigned: FxHashMap<LocalId, Vec<Spot>>,
}

/// What a command may change.
pub(super) struct Change<'p> {
    pub at: Option<Origin>,
    pub how: How<'p>,
}

pub(super) enum How<'p> {
    /// So many bits of a local without an address, from an offset on.
    Local(LocalId, u64, u32),
    /// Bytes at a pointer.
    Pointer(Pointer<'p>, Length<'p>),
    /// A function of the library may write what these arguments point to.
    Library(Vec<Pointer<'p>>),
    /// What the function changes.
    Call(FunctionId, &'p [Operand]),
    /// Anything that has an address: what is called is not known.
    Anything,
}

/// A pointer, and what the program's text says about where it points.
#[derive(Copy, Clone)]
pub(super) struct Pointer<'p> {
    pub operand: &'p Operand,
    pub root: Root<'p>,
}

#[derive(Copy, Clone)]
pub(super) enum Root<'p> {
    /// To this object, at an offset that is known or not.
    Object(&'p Operand, bool),
    /// Nothing.
    Unknown,
}

#[derive(Copy, Clone)]
pub(super) enum Length<'p> {
    Known(u64),
    Operand(&'p Operand),
}

impl<'p> Region<'p> {
    pub fn new(
        program: &'p Program,
        id: FunctionId,
        flow: &Flow,
        definitions: &Definitions<'p>,
        blocks: &[BlockId],
    ) -> Region<'p> {
        let function = &program.functions[id.index()];
        let (mut changes, mut assigned) = (vec![], FxHashMap::<LocalId, Vec<Spot>>::default());
        for block in blocks {
            for (index, command) in function.blocks[block.index()].commands.iter().enumerate() {
                let how = how(&command.it, function, definitions);
                changes.extend(how.map(|how| Change { at: command.at, how }));
                if let Command::Store { place: Place::Local(local, _), value, .. } = &command.it
                    && !matches!(value, Operand::Register(r) if function.params.contains(r))
                {
                    assigned.entry(*local).or_default().push((order(flow, *block), index));
                }
            }
        }
        Region { changes, assigned }
    }
}

fn how<'p>(command: &'p Command, function: &Function, definitions: &Definitions<'p>) -> Option<How<'p>> {
    let pointer = |operand| Pointer { operand, root: Root::of(operand, definitions) };
    match command {
        Command::Store { place: Place::Local(local, offset), bits, .. } => Some(How::Local(*local, *offset, *bits)),
        Command::Store { place: Place::Memory(to), bits, .. } => {
            Some(How::Pointer(pointer(to), Length::Known(u64::from(bits.div_ceil(8)))))
        }
        Command::Copy { to, length, .. } | Command::Fill { to, length, .. } => {
            Some(How::Pointer(pointer(to), Length::Operand(length)))
        }
        Command::Call { callee: Callee::External(name), arguments, .. } => {
            let library = clib::function(name);
            let may_change = |index| library.is_none_or(|f| !f.only_reads() && f.may_change(index));
            let changed = arguments.iter().enumerate().filter(|(index, argument)| {
                let is_pointer = match argument {
                    Operand::Register(r) => function.registers[r.index()] == 64,
                    Operand::Constant { .. } | Operand::Undefined { .. } => false,
                    _ => true,
                };
                is_pointer && may_change(*index)
            });
            let changed: Vec<_> = changed.map(|(_, argument)| pointer(argument)).collect();
            (!changed.is_empty()).then_some(How::Library(changed))
        }
        Command::Call { callee: Callee::Function(id), arguments, .. } => Some(How::Call(*id, arguments)),
        Command::Call { callee: Callee::Pointer(_) | Callee::Assembly, .. } => Some(How::Anything),
        Command::Define { .. } | Command::Load { .. } | Command::Allocate { .. } => None,
    }
}

impl<'p> Root<'p> {
    fn of(pointer: &'p Operand, definitions: &Definitions<'p>) -> Root<'p> {
        match pointer {
            Operand::Local(..) | Operand::Global(..) => Root::Object(pointer, true),
            Operand::Register(register) => match definitions[register.index()] {
                Some((_, Command::Define { value: Operation::Copy(from), .. })) => Root::of(from, definitions),
                Some((_, Command::Define { value: Operation::Binary { op: BinaryOp::Add, left, right, .. }, .. })) => {
                    match Root::of(left, definitions) {
                        Root::Object(object, exact) => {
                            Root::Object(object, exact && matches!(right, Operand::Constant { .. }))
                        }
                        unknown => unknown,
                    }
                }
                _ => Root::Unknown,
            },
            _ => Root::Unknown,
        }
    }
}

/// Which memory of its callers a function may change, with all that it calls.
#[derive(Clone, Default)]
pub(super) struct Reach {
    globals: HashSet<GlobalId>,
    /// What a pointer leads to, or anything.
    unknown: bool,
}

impl Reach {
    /// Whether it may change a variable that belongs to a global, or to none.
    pub fn holds(&self, global: Option<GlobalId>) -> bool {
        self.unknown || global.is_some_and(|global| self.globals.contains(&global))
    }

    /// The reaches of all functions, by their bodies.
    pub fn of_all(bodies: &[Rc<Region>]) -> Vec<Reach> {
        let mut reaches = vec![Reach::default(); bodies.len()];
        let mut callers = vec![vec![]; bodies.len()];
        for (function, body) in bodies.iter().enumerate() {
            for change in &body.changes {
                let reach = &mut reaches[function];
                match &change.how {
                    How::Local(..) => {}
                    How::Pointer(to, _) => reach.add(to),
                    How::Library(pointers) => pointers.iter().for_each(|to| reach.add(to)),
                    How::Call(callee, _) => callers[callee.index()].push(function),
                    How::Anything => reach.unknown = true,
                }
            }
        }
        let mut work: Vec<usize> = (0..bodies.len()).collect();
        while let Some(callee) = work.pop() {
            let reach = reaches[callee].clone();
            for &caller in &callers[callee] {
                let to = &mut reaches[caller];
                let before = (to.unknown, to.globals.len());
                to.unknown |= reach.unknown;
                to.globals.extend(&reach.globals);
                if before != (to.unknown, to.globals.len()) {
                    work.push(caller);
                }
            }
        }
        reaches
    }

    /// What is written at a pointer; a function's own locals are nothing to its callers.
    fn add(&mut self, to: &Pointer) {
        match to.root {
            Root::Object(Operand::Global(global, _), _) => {
                self.globals.insert(*global);
            }
            Root::Object(..) => {}
            Root::Unknown => self.unknown = true,
        }
    }
}
