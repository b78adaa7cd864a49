//! The statements of a program that may be at fault, and the place in the source of each.

use crate::sources::Sources;
use std::collections::{HashMap, HashSet};
use wherefore_clib::{self as clib, Ending};
use wherefore_program::{CType, Callee, Command, Function, GlobalId, Origin, Point, Program, Terminator, points};
use wherefore_report::Loc;
use wherefore_source::Extent;

/// A statement.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Where.
    pub at: Loc,
    /// Its text.
    pub text: String,
    /// Lines where macros that it uses are defined.
    pub macros: Vec<u32>,
    /// Blocks of the program (by their recording numbers) in which it does something.
    pub blocks: Vec<u32>,
}

/// All statements.
#[derive(Clone, Debug, Default)]
pub struct Statements {
    /// In the order of the source.
    pub list: Vec<Statement>,
    /// The statement at each place.
    pub places: HashMap<Origin, u32>,
    /// The declaration of each global.
    pub globals: Vec<Option<u32>>,
}

/// A stretch of a file.
type Key = (u32, Extent);

/// Finds the statements of a program.
pub fn collect(program: &Program, sources: &Sources) -> Statements {
    let mut finder = Finder { sources, program, known: HashMap::new() };
    let hard = finder.hard();
    let all = points(program);
    let mut found: HashMap<Key, (Origin, String, Vec<u32>)> = HashMap::new();
    for point in &all {
        let function = &program.functions[point.function.index()];
        if clib::judge(&function.name).is_some() {
            continue;
        }
        let Some(at) = origin(function, point) else { continue };
        let Some(key) = finder.key(at).filter(|key| !hard.contains(key)) else { continue };
        let entry = found.entry(key).or_insert_with(|| (at, function.name.clone(), vec![]));
        entry.2.push(function.first_block + point.block.0);
    }
    for (function, number, at) in printing(program) {
        // A text that is always the same has no point, but may be wrong.
        if let Some(key) = finder.key(at).filter(|key| !hard.contains(key)) {
            found
                .entry(key)
                .or_insert_with(|| (at, function.name.clone(), vec![]))
                .2
                .push(function.first_block + number);
        }
    }
    for global in &program.globals {
        let named = global.name.is_some() && !global.external && global.size <= 1 << 12;
        if let Some(at) = global.origin.filter(|_| named)
            && let Some(key) = finder.key(at)
        {
            let function = global.function.map(|f| program.functions[f.index()].name.clone()).unwrap_or_default();
            found.entry(key).or_insert_with(|| (at, function, vec![]));
        }
    }
    for function in &program.functions {
        for local in &function.locals {
            let array = local.ctype.is_some_and(|t| matches!(program.types[t], CType::Array { .. }));
            if let Some(at) = local.origin.filter(|_| array && local.escapes)
                && let Some(key) = finder.key(at)
            {
                found.entry(key).or_insert_with(|| (at, function.name.clone(), vec![]));
            }
        }
    }
    let mut keys: Vec<Key> = found.keys().copied().collect();
    keys.sort_unstable();
    let numbers: HashMap<Key, u32> = keys.iter().enumerate().map(|(n, key)| (*key, n as u32)).collect();
    let list = keys.iter().map(|key| {
        let (at, function, blocks) = &found[key];
        let mut blocks = blocks.clone();
        blocks.sort_unstable();
        blocks.dedup();
        let text = sources.text(at.file).map(|t| t.text(key.1)).unwrap_or_default();
        let macros = sources.text(at.file).map(|t| macro_lines(t, &text)).unwrap_or_default();
        Statement { at: sources.loc(Some(*at), Some(key.1), function), text, macros, blocks }
    });
    let list = list.collect();
    let mut places = HashMap::new();
    let declared = program.functions.iter().flat_map(|f| &f.locals).filter_map(|l| l.origin);
    let declared = declared.chain(program.globals.iter().filter_map(|g| g.origin));
    let inside = program.functions.iter().filter(|f| clib::judge(&f.name).is_none()).flat_map(origins);
    for at in inside.chain(declared) {
        if let Some(number) = finder.key(at).and_then(|key| numbers.get(&key)) {
            places.insert(at, *number);
        }
    }
    let globals = (0..program.globals.len())
        .map(|n| {
            let global = &program.globals[GlobalId(n as u32).index()];
            let at = global.origin.filter(|_| global.name.is_some() && !global.external && global.size <= 1 << 12)?;
            numbers.get(&finder.key(at)?).copied()
        })
        .collect();
    Statements { list, places, globals }
}

struct Finder<'a> {
    sources: &'a Sources,
    program: &'a Program,
    known: HashMap<Origin, Option<Key>>,
}

impl Finder<'_> {
    /// The statement at a place; `None` for what is not the user's.
    fn key(&mut self, at: Origin) -> Option<Key> {
        if let Some(known) = self.known.get(&at) {
            return *known;
        }
        let system = self.sources.path(at.file).starts_with("/usr/");
        let text = self.sources.text(at.file).filter(|_| !system);
        let extent = text.and_then(|t| t.extent_of_whole_statement(at.line, at.column));
        let key = extent.map(|extent| (at.file.0, extent));
        self.known.insert(at, key);
        key
    }

    /// Statements that only check: assertions, and conditions that decide about a call that is a failure.
    fn hard(&mut self) -> HashSet<Key> {
        let mut hard = HashSet::new();
        for function in &self.program.functions {
            for (number, block) in function.blocks.iter().enumerate() {
                for command in &block.commands {
                    let Command::Call { callee, .. } = &command.it else { continue };
                    let name = match callee {
                        Callee::External(name) => name.as_str(),
                        Callee::Function(id) => &self.program.functions[id.index()].name,
                        _ => continue,
                    };
                    // What decides about a call that is a failure is the specification, not the program.
                    let error = clib::ending(name).is_some_and(Ending::is_failure);
                    if !error && clib::judge(name).is_none() {
                        continue;
                    }
                    hard.extend(command.at.and_then(|at| self.key(at)));
                    if error {
                        for at in deciding(function, number) {
                            hard.extend(self.key(at));
                        }
                    }
                }
            }
        }
        hard
    }
}

/// Where the branches stand that lead straight into a block.
fn deciding(function: &Function, block: usize) -> Vec<Origin> {
    let mut found = vec![];
    let mut work = vec![block];
    let mut seen = HashSet::new();
    while let Some(block) = work.pop() {
        for (number, other) in function.blocks.iter().enumerate() {
            if !other.terminator.it.successors().iter().any(|b| b.index() == block) || !seen.insert((number, block)) {
                continue;
            }
            match other.terminator.it {
                Terminator::Goto(_) if other.commands.is_empty() => work.push(number),
                Terminator::Branch { .. } | Terminator::Switch(_) => found.extend(other.terminator.at),
                _ => {}
            }
        }
    }
    found
}

fn origin(function: &Function, point: &Point) -> Option<Origin> {
    let block = &function.blocks[point.block.index()];
    match point.command {
        Some(number) => block.commands[number as usize].at,
        None => block.terminator.at,
    }
}

/// Calls that write to standard output, with their functions and blocks.
fn printing(program: &Program) -> impl Iterator<Item = (&Function, u32, Origin)> {
    let functions = program.functions.iter().filter(|f| clib::judge(&f.name).is_none());
    let blocks = functions.flat_map(|f| f.blocks.iter().enumerate().map(move |(n, block)| (f, n as u32, block)));
    blocks.flat_map(|(function, number, block)| {
        block.commands.iter().filter_map(move |command| match &command.it {
            Command::Call { callee: Callee::External(name), .. } => {
                let prints = clib::function(name).is_some_and(clib::Function::prints);
                command.at.filter(|_| prints).map(|at| (function, number, at))
            }
            _ => None,
        })
    })
}

/// All places of a function.
pub fn origins(function: &Function) -> impl Iterator<Item = Origin> {
    function.blocks.iter().flat_map(|b| b.commands.iter().map(|c| c.at).chain([b.terminator.at])).flatten()
}

/// The lines that define the macros in a text: a wrong constant may be wrong there.
fn macro_lines(source: &wherefore_source::SourceText, text: &str) -> Vec<u32> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: HashSet<&str> = text.split(|c| !word(c)).filter(|w| !w.is_empty()).collect();
    let defined = |line: &str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
        rest.split(|c| !word(c)).next().map(str::to_string)
    };
    (1..=source.line_count())
        .filter(|n| defined(source.line(*n)).is_some_and(|name| words.contains(name.as_str())))
        .collect()
}
