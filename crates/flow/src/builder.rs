//! What is kept while a graph is built.

use crate::memory::Memory;
use crate::{Flow, Kind, Letter, Named, Options};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use wherefore_automata::{Graph, LocationId, Statement, Variable};
use wherefore_formula::{Sort, TermId, VarId};
use wherefore_program::{FunctionId, GlobalId, LocalId, Note, Origin, Program, RegId};

/// A place that holds a value.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Cell {
    /// A part of a local without an address, in a call: offset in bytes.
    Local(u32, LocalId, u64),
    /// A part of an object in memory.
    Object(u32, u64),
    /// A register of a call.
    Register(u32, RegId),
    /// What a call returns.
    Result(u32),
    /// A value that is needed after what it was read from has changed.
    Saved(u32),
}

pub(crate) struct Builder<'p> {
    pub program: &'p Program,
    pub options: &'p Options,
    pub graph: Graph,
    pub letters: Vec<Letter>,
    pub variables: Vec<Named>,
    pub parameters: Vec<VarId>,
    pub notes: Vec<Note>,
    pub taken: Vec<Note>,
    pub cells: FxHashMap<Cell, VarId>,
    pub memory: Memory,
    /// The functions that are being called.
    pub stack: Vec<FunctionId>,
    pub calls: u32,
    pub saved: u32,
    /// Locations that are others.
    same: FxHashMap<LocationId, LocationId>,
    /// Registers of each function that are used in other blocks than they are defined in.
    pub crossing: FxHashMap<FunctionId, Rc<FxHashSet<RegId>>>,
}

/// A place in the program while a graph is built.
#[derive(Copy, Clone)]
pub(crate) struct Here {
    pub location: LocationId,
    pub at: Option<Origin>,
    pub function: FunctionId,
}

pub(crate) fn build(program: &Program, entry: FunctionId, options: &Options) -> Flow {
    let mut builder = Builder {
        program,
        options,
        graph: Graph::default(),
        letters: vec![],
        variables: vec![],
        parameters: vec![],
        notes: vec![],
        taken: vec![],
        cells: FxHashMap::default(),
        memory: Memory::default(),
        stack: vec![],
        calls: 0,
        saved: 0,
        same: FxHashMap::default(),
        crossing: FxHashMap::default(),
    };
    builder.declare_globals();
    let start = builder.graph.location();
    builder.graph.initial = vec![start];
    let function = &program.functions[entry.index()];
    let mut arguments = vec![];
    for register in &function.params {
        let bits = function.registers[register.index()];
        let named = Named { name: String::new(), ctype: None, local: None };
        let var = builder.variable(Cell::Register(u32::MAX, *register), bits, None, named);
        builder.parameters.push(var);
        arguments.push(builder.graph.terms.var(var, Sort::Bits(bits)));
    }
    let (exit, result) = builder.inline(entry, &arguments, start, None);
    let mut end = Here { location: exit, at: None, function: entry };
    match (options.status, result) {
        (Some(_), Some(result)) => {
            let status = builder.value_of(result);
            builder.end_with(&mut end, status);
        }
        // Who returns nothing ends well.
        (Some(wanted), None) if wanted != 0 => builder.fail(end),
        _ => {}
    }
    builder.finish()
}

impl Builder<'_> {
    fn finish(mut self) -> Flow {
        let mut graph = std::mem::take(&mut self.graph);
        for edge in &mut graph.edges {
            edge.from = self.resolved(edge.from);
            edge.to = self.resolved(edge.to);
        }
        for location in graph.initial.iter_mut().chain(&mut graph.errors) {
            *location = self.resolved(*location);
        }
        self.notes.dedup();
        let mut open: Vec<(GlobalId, u64, VarId)> = vec![];
        for (cell, var) in &self.cells {
            let Cell::Object(object, offset) = *cell else { continue };
            let global = self.memory.global(object).filter(|global| self.options.open.contains(global));
            open.extend(global.map(|global| (global, offset, *var)));
        }
        open.sort_unstable_by_key(|(global, offset, _)| (global.0, *offset));
        let Builder { letters, variables, parameters, notes, taken, .. } = self;
        Flow { graph, letters, variables, parameters, open, notes, taken }
    }

    fn resolved(&self, location: LocationId) -> LocationId {
        let mut at = location;
        // An empty loop leads nowhere.
        for _ in 0..=self.same.len() {
            match self.same.get(&at) {
                Some(next) => at = *next,
                None => return at,
            }
        }
        location
    }

    /// The variable of a cell.
    pub fn variable(&mut self, cell: Cell, bits: u32, initial: Option<u128>, named: Named) -> VarId {
        if let Some(var) = self.cells.get(&cell) {
            return *var;
        }
        let var = VarId(self.graph.variables.len() as u32);
        self.graph.variables.push(Variable { sort: Sort::Bits(bits), initial, simple: vec![] });
        self.variables.push(named);
        self.cells.insert(cell, var);
        var
    }

    /// A variable that the source does not have.
    pub fn unnamed(&mut self, cell: Cell, bits: u32) -> VarId {
        self.variable(cell, bits, None, Named { name: String::new(), ctype: None, local: None })
    }

    pub fn value_of(&mut self, var: VarId) -> TermId {
        let sort = self.graph.variables[var.0 as usize].sort;
        self.graph.terms.var(var, sort)
    }

    pub fn width_of(&self, var: VarId) -> u32 {
        match self.graph.variables[var.0 as usize].sort {
            Sort::Bits(bits) => bits,
            Sort::Bool => 1,
            Sort::Int => unreachable!("programs are made of bits"),
        }
    }

    /// A statement at a place; the place is behind it then.
    pub fn step(&mut self, here: &mut Here, statement: Statement, kind: Kind) {
        let to = self.graph.location();
        self.step_to(*here, statement, kind, to);
        here.location = to;
    }

    /// A statement at a place that leads to a location.
    pub fn step_to(&mut self, here: Here, statement: Statement, kind: Kind, to: LocationId) {
        let letter = self.graph.letter(statement);
        self.letters.push(Letter { at: here.at, function: here.function, kind });
        self.graph.edge(here.location, letter, to);
    }

    /// From a location on which nothing was built yet another one is gone on from.
    pub fn go(&mut self, from: LocationId, to: LocationId) {
        if from != to {
            self.same.insert(from, to);
        }
    }

    /// The program fails here if a condition holds; otherwise it goes on.
    pub fn fail_if(&mut self, here: &mut Here, condition: TermId) {
        self.fail_or(here, condition, Statement::Assume);
    }

    /// The same where C says nothing of what happens then: to come to that is no way out of another failure.
    pub fn crash_if(&mut self, here: &mut Here, condition: TermId) {
        self.fail_or(here, condition, Statement::Define);
    }

    fn fail_or(&mut self, here: &mut Here, condition: TermId, goes_on: fn(TermId) -> Statement) {
        match self.graph.terms.truth_value(condition) {
            Some(false) => return,
            Some(true) => {
                self.fail(*here);
                here.location = self.graph.location();
                return;
            }
            None => {}
        }
        let error = self.graph.location();
        self.graph.errors.push(error);
        self.step_to(*here, Statement::Assume(condition), Kind::Failure, error);
        let fine = self.graph.terms.not(condition);
        self.step(here, goes_on(fine), Kind::Internal);
    }

    /// The program ends here with a status, which may be another than it has to be.
    pub fn end_with(&mut self, here: &mut Here, status: TermId) {
        let Some(wanted) = self.options.status else { return };
        let terms = &mut self.graph.terms;
        let low = if terms.width(status) > 8 { terms.extract(status, 0, 8) } else { terms.zero_extend(status, 8) };
        let wanted = terms.bits(8, (wanted & 255) as u128);
        let is_other = terms.ne(low, wanted);
        self.fail_if(here, is_other);
    }

    /// The program fails here.
    pub fn fail(&mut self, here: Here) {
        let error = self.graph.location();
        self.graph.errors.push(error);
        let always = self.graph.terms.truth(true);
        self.step_to(here, Statement::Assume(always), Kind::Failure, error);
    }

    /// What comes here is not followed.
    pub fn cut(&mut self, here: &mut Here, why: impl Into<String>) {
        self.note(here.at, why);
        here.location = self.graph.location();
    }

    pub fn note(&mut self, at: Option<Origin>, why: impl Into<String>) {
        let note = Note { at, message: why.into() };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Something that C leaves open is taken for something.
    pub fn take(&mut self, at: Option<Origin>, what: &str) {
        let note = Note { at, message: what.into() };
        if !self.taken.contains(&note) {
            self.taken.push(note);
        }
    }
}
