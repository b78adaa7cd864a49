//! Statements that no value repairs: what the formula proves of them holds for every edit that changes a value only, so
//! such edits need no try.

use super::statements::Statements;
use std::collections::{HashMap, HashSet};
use wherefore_diagnose::{Agreement, PerTest};
use wherefore_program::{Callee, Command, FileId, Function, FunctionId, Place, Program};
use wherefore_repair::{Edit, Plain};
use wherefore_source::SourceText;
use wherefore_unfold::Unfolding;

/// Lines and columns of a file, with the statements there.
type Places = Vec<((u32, u32), u32)>;

/// What was proved. By default nothing.
#[derive(Default)]
pub struct RuledOut {
    /// For each test that the formula knows about, the smallest sets of statements that repair it, up to a size.
    tests: Vec<(Vec<Vec<u32>>, usize)>,
    /// Statements of which the formula lets all values be anything.
    free: HashSet<u32>,
    /// The statement at each line and column of a file.
    places: HashMap<FileId, Places>,
    pure: HashSet<String>,
}

impl RuledOut {
    /// What follows from what is known about tests.
    pub fn new<'t>(
        program: &Program,
        statements: &Statements,
        unfolding: &Unfolding,
        known: impl Iterator<Item = &'t PerTest>,
    ) -> RuledOut {
        let decided = known.filter(|test| test.agreement == Agreement::Same);
        let largest =
            |test: &PerTest| if test.found.is_complete() { usize::MAX } else { test.found.settled.unwrap_or(0) };
        let tests = decided.map(|test| (test.found.sets.clone(), largest(test))).collect();
        // What is given from outside, and pointers, may be a few things only.
        let bound =
            unfolding.instances.iter().filter(|i| i.free.is_none() || !i.others.is_empty() || !i.choices.is_empty());
        let bound: HashSet<u32> = bound.map(|instance| instance.statement).collect();
        let free = (0..statements.list.len() as u32).filter(|statement| !bound.contains(statement)).collect();
        let mut places: HashMap<FileId, Places> = HashMap::new();
        for (at, statement) in &statements.places {
            places.entry(at.file).or_default().push(((at.line, at.column), *statement));
        }
        RuledOut { tests, free, places, pure: pure(program) }
    }

    /// What can be said about edits of a file.
    pub fn of<'r>(&'r self, file: FileId, source: &'r SourceText) -> Ruling<'r> {
        let places = self.places.get(&file).map_or(&[][..], Vec::as_slice);
        Ruling { free: &self.free, places, source, plain: Plain::new(source.as_str(), &self.pure) }
    }

    /// Whether other values of these statements may repair all tests.
    pub fn may_repair_all(&self, statements: &[u32]) -> bool {
        self.tests.iter().all(|test| may_repair(test, statements))
    }

    /// Whether they may repair a test that others of them do not.
    pub fn may_add(&self, statement: u32, others: &[u32]) -> bool {
        let all: Vec<u32> = others.iter().copied().chain([statement]).collect();
        self.tests.is_empty() || self.tests.iter().any(|test| !repairs(test, others) && may_repair(test, &all))
    }
}

/// What can be said about edits of a file.
pub struct Ruling<'r> {
    free: &'r HashSet<u32>,
    places: &'r [((u32, u32), u32)],
    source: &'r SourceText,
    plain: Plain<'r>,
}

impl Ruling<'_> {
    /// The statement of which an edit changes a value only.
    pub fn statement(&self, edit: &Edit) -> Option<u32> {
        let extent = self.source.extent(self.plain.unit(edit)?);
        let within = |at: (u32, u32)| (extent.line, extent.column) <= at && at < (extent.end_line, extent.end_column);
        let mut here = self.places.iter().filter(|(at, _)| within(*at)).map(|(_, statement)| *statement);
        let first = here.next()?;
        (here.all(|other| other == first) && self.free.contains(&first)).then_some(first)
    }
}

fn repairs((sets, _): &(Vec<Vec<u32>>, usize), statements: &[u32]) -> bool {
    sets.iter().any(|set| set.iter().all(|s| statements.contains(s)))
}

fn may_repair(test: &(Vec<Vec<u32>>, usize), statements: &[u32]) -> bool {
    statements.len() > test.1 || repairs(test, statements)
}

/// Functions that do nothing but compute a value, by their names.
fn pure(program: &Program) -> HashSet<String> {
    let mut known: HashMap<FunctionId, bool> = HashMap::new();
    let all = (0..program.functions.len()).map(|n| FunctionId(n as u32));
    let pure = all.filter(|id| is_pure(program, *id, &mut known));
    pure.map(|id| program.functions[id.index()].name.clone()).collect()
}

/// Recursion is taken to do more.
fn is_pure(program: &Program, id: FunctionId, known: &mut HashMap<FunctionId, bool>) -> bool {
    if let Some(known) = known.get(&id) {
        return *known;
    }
    known.insert(id, false);
    let function: &Function = &program.functions[id.index()];
    let commands = function.blocks.iter().flat_map(|block| &block.commands);
    let pure = commands.into_iter().all(|command| match &command.it {
        Command::Define { .. } => true,
        Command::Load { volatile, .. } => !volatile,
        Command::Store { place, .. } => matches!(place, Place::Local(..)),
        Command::Call { callee: Callee::Function(callee), .. } => is_pure(program, *callee, known),
        _ => false,
    });
    known.insert(id, pure);
    pure
}
