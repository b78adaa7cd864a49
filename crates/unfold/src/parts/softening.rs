//! Where statements can be set free, and the values that are.

use crate::{Instance, Options, Pointer, StatementId, Unfolding};
use rustc_hash::FxHashMap;
use wherefore_formula::TermId;
use wherefore_program::{Command, FunctionId, Operand, Place, Point, Program, RegId, points};

/// What is needed to set statements free.
pub(crate) struct Softening {
    points: FxHashMap<Point, u32>,
    /// What each statement reads.
    reads: FxHashMap<StatementId, Vec<(FunctionId, Read)>>,
    /// Functions whose addresses the program takes.
    addressed: Vec<FunctionId>,
    selectors: Vec<TermId>,
    instances: Vec<Instance>,
}

/// Something a statement reads.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Read {
    /// What a call gave.
    Register(RegId),
    /// A fixed place, and how many bits of it.
    Place(Place, u32),
}

impl Softening {
    pub fn new(program: &Program, options: &Options) -> Softening {
        Softening {
            points: (0..).zip(points(program)).map(|(number, point)| (point, number)).collect(),
            reads: statement_reads(program, options),
            addressed: addressed(program, options),
            selectors: vec![],
            instances: vec![],
        }
    }

    /// The selector of the next statement.
    pub fn add_selector(&mut self, selector: TermId) {
        self.selectors.push(selector);
    }

    pub fn selectors(&self) -> &[TermId] {
        &self.selectors
    }

    pub fn selector(&self, statement: StatementId) -> TermId {
        self.selectors[statement as usize]
    }

    pub fn is_selector(&self, condition: TermId) -> bool {
        self.selectors.binary_search(&condition).is_ok()
    }

    /// The number of a point.
    pub fn point(&self, point: &Point) -> Option<u32> {
        self.points.get(point).copied()
    }

    /// What a statement reads in a function, in fixed places and from calls.
    pub fn reads(&self, statement: StatementId, function: FunctionId) -> Vec<Read> {
        let all = self.reads.get(&statement).into_iter().flatten();
        all.filter(|(own, _)| *own == function).map(|(_, read)| read.clone()).collect()
    }

    /// Functions whose addresses the program takes.
    pub fn addressed(&self) -> &[FunctionId] {
        &self.addressed
    }

    /// A value can be set free.
    pub fn add(&mut self, instance: Instance) {
        self.instances.push(instance);
    }

    pub fn finish(self, unfolding: &mut Unfolding) {
        unfolding.selectors = self.selectors;
        unfolding.instances = self.instances;
    }
}

/// Functions whose addresses are taken.
fn addressed(program: &Program, options: &Options) -> Vec<FunctionId> {
    let operands = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands);
    let taken = operands.flat_map(|c| c.it.operands()).filter_map(|operand| match operand {
        Operand::Function(function) => Some(*function),
        _ => None,
    });
    let stored = options.pointers.iter().filter_map(|(_, _, pointer)| match pointer {
        Pointer::Function(function) => Some(*function),
        Pointer::Global(..) => None,
    });
    let mut all: Vec<FunctionId> = taken.chain(stored).collect();
    all.sort_unstable_by_key(|f| f.0);
    all.dedup();
    all
}

/// What each statement reads in fixed places, and the calls in it.
fn statement_reads(program: &Program, options: &Options) -> FxHashMap<u32, Vec<(FunctionId, Read)>> {
    let mut all: FxHashMap<u32, Vec<_>> = FxHashMap::default();
    for (number, function) in program.functions.iter().enumerate() {
        let id = FunctionId(number as u32);
        for command in function.blocks.iter().flat_map(|b| &b.commands) {
            let Some(statement) = command.at.and_then(|at| options.statements.get(&at)) else { continue };
            let read = match &command.it {
                Command::Load { target, place, .. } => match place {
                    Place::Memory(Operand::Register(_)) => continue,
                    place => Read::Place(place.clone(), function.registers[target.index()]),
                },
                Command::Call { target: Some(target), .. } => Read::Register(*target),
                _ => continue,
            };
            let reads = all.entry(*statement).or_default();
            if !reads.contains(&(id, read.clone())) {
                reads.push((id, read));
            }
        }
    }
    all
}
