//! Telling apart what C calls by one name.
//!
//! A name stays as it is where a C programmer would use it there for the same thing. Otherwise it says more, and in a
//! whole story always the same: `x@6` is the `x` declared in line 6, where one `x` hides another; `f::x` the `x` of `f`,
//! `::x` the one at file scope; `f@12` the call of `f` in line 12, and `f#3` the third call where the line does not tell.

use crate::naming::Position;
use std::collections::{HashMap, HashSet};
use wherefore_program::{FunctionId, GlobalId, LocalId, Origin, Program, overlap};
use wherefore_trace::{Storage, Trace};

/// A variable of the source, whichever activation it lives in.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
enum Declared {
    Local(FunctionId, LocalId),
    Global(GlobalId),
}

/// A variable of a function: which one, the blocks around it, its place.
type Namesake<'a> = (Declared, &'a [u32], Option<Origin>);

/// What is known of the names in a trace.
pub struct Apart<'a> {
    program: &'a Program,
    trace: &'a Trace,
    /// The variables of each function, `static` ones included, by name.
    namesakes: HashMap<FunctionId, HashMap<&'a str, Vec<Namesake<'a>>>>,
    /// Names of several things that the trace uses.
    several: HashSet<&'a str>,
    /// For each activation, which call of its function it is.
    number: Vec<u32>,
    /// How often each function is called.
    calls: HashMap<FunctionId, u32>,
    /// How often each function is called in a line.
    in_line: HashMap<(FunctionId, Option<u32>), u32>,
}

impl<'a> Apart<'a> {
    /// Look at the names of a trace.
    pub fn new(program: &'a Program, trace: &'a Trace) -> Self {
        let mut bearers: HashMap<&'a str, HashSet<Declared>> = HashMap::new();
        for variable in &trace.variables {
            let (name, declared) = match variable.storage {
                Storage::Local { activation, local, .. } => {
                    let function = trace.activations[activation as usize].function;
                    let name = &program.functions[function.index()].locals[local.index()].name;
                    (name, Declared::Local(function, local))
                }
                Storage::Global { global, .. } => (&program.globals[global.index()].name, Declared::Global(global)),
                _ => continue,
            };
            if let Some(name) = name {
                bearers.entry(name).or_default().insert(declared);
            }
        }
        let several = bearers.into_iter().filter(|(_, all)| all.len() > 1).map(|(name, _)| name).collect();
        let mut namesakes: HashMap<FunctionId, HashMap<&'a str, Vec<Namesake<'a>>>> = HashMap::new();
        for (index, function) in program.functions.iter().enumerate() {
            let id = FunctionId(index as u32);
            for (number, local) in function.locals.iter().enumerate() {
                let Some(name) = local.name.as_deref() else { continue };
                let declared = Declared::Local(id, LocalId(number as u32));
                namesakes.entry(id).or_default().entry(name).or_default().push((declared, &local.scope, local.origin));
            }
        }
        for (index, global) in program.globals.iter().enumerate() {
            let (Some(function), Some(name)) = (global.function, global.name.as_deref()) else { continue };
            let declared = Declared::Global(GlobalId(index as u32));
            namesakes.entry(function).or_default().entry(name).or_default().push((
                declared,
                &global.scope,
                global.origin,
            ));
        }
        let mut calls = HashMap::new();
        let mut in_line = HashMap::new();
        let mut number = vec![];
        for activation in &trace.activations {
            let count: &mut u32 = calls.entry(activation.function).or_default();
            *count += 1;
            number.push(*count);
            *in_line.entry((activation.function, activation.call.map(|c| c.line))).or_default() += 1;
        }
        Apart { program, trace, namesakes, several, number, calls, in_line }
    }

    fn function(&self, activation: u32) -> FunctionId {
        self.trace.activations[activation as usize].function
    }

    /// The name of a local as it is seen from a position; `None` when the compiler made it.
    pub fn local(&self, activation: u32, local: LocalId, position: Position) -> Option<String> {
        let from = position.activation;
        let function = self.function(activation);
        let declared = &self.program.functions[function.index()].locals[local.index()];
        let name = declared.name.as_deref()?;
        let given = position.at_entry && activation == from && declared.param.is_some();
        let plain = match !given && self.hides(function, name, &declared.scope, Declared::Local(function, local)) {
            true => at_line(name, declared.origin, self.same_line(function, name, declared.origin)),
            false => name.to_string(),
        };
        let here = self.function(from);
        let qualified = activation != from
            && (self.several.contains(name)
                || self.knows(here, name)
                || !self.stack(from).filter(|a| self.function(*a) == function).eq([activation]));
        Some(if qualified { format!("{}::{plain}", self.call(activation)) } else { plain })
    }

    /// The name of a global as it is seen from an activation; `None` when it has none.
    pub fn global(&self, global: GlobalId, from: u32) -> Option<String> {
        let declared = &self.program.globals[global.index()];
        let name = declared.name.as_deref()?;
        let here = self.trace.activations.get(from as usize).map(|a| a.function);
        let hidden = here.is_some_and(|f| self.knows(f, name));
        let Some(owner) = declared.function else {
            let file = |o: Option<Origin>| o.map(|o| o.file);
            let namesake =
                self.program.globals.iter().enumerate().any(|(index, g)| {
                    index != global.index() && g.function.is_none() && g.name.as_deref() == Some(name)
                });
            let elsewhere =
                here.is_none_or(|f| file(self.program.functions[f.index()].origin) != file(declared.origin));
            let path = declared.origin.and_then(|o| self.program.files.get(o.file.index()));
            return Some(match path.filter(|_| namesake && elsewhere) {
                Some(path) => format!("{}::{name}", path.rsplit('/').next().unwrap_or(path)),
                None if hidden => format!("::{name}"),
                None => name.to_string(),
            });
        };
        // A `static` lives as long as the program: it is told apart from its namesakes whatever their blocks.
        let plain = match self.hides(owner, name, &[], Declared::Global(global)) {
            true => at_line(name, declared.origin, self.same_line(owner, name, declared.origin)),
            false => name.to_string(),
        };
        let foreign = here != Some(owner) && (hidden || self.several.contains(name));
        let function = &self.program.functions[owner.index()].name;
        Some(if foreign { format!("{function}::{plain}") } else { plain })
    }

    /// A call of a function: by its name alone when there is only one.
    pub fn call(&self, activation: u32) -> String {
        let function = self.function(activation);
        let name = &self.program.functions[function.index()].name;
        let line = self.trace.activations[activation as usize].call.map(|c| c.line);
        match line {
            _ if self.calls[&function] == 1 => name.clone(),
            Some(line) if self.in_line[&(function, Some(line))] == 1 => format!("{name}@{line}"),
            _ => format!("{name}#{}", self.number[activation as usize]),
        }
    }

    /// Whether an activation is under way while another one runs.
    pub fn is_active(&self, activation: u32, while_in: u32) -> bool {
        self.stack(while_in).any(|a| a == activation)
    }

    /// An activation and its callers.
    fn stack(&self, activation: u32) -> impl Iterator<Item = u32> + '_ {
        let exists = Some(activation).filter(|a| (*a as usize) < self.trace.activations.len());
        std::iter::successors(exists, |a| self.trace.activations[*a as usize].caller)
    }

    fn namesakes(&self, function: FunctionId, name: &str) -> &[Namesake<'a>] {
        self.namesakes.get(&function).and_then(|all| all.get(name)).map_or(&[], Vec::as_slice)
    }

    /// Whether a function has a variable of that name.
    fn knows(&self, function: FunctionId, name: &str) -> bool {
        !self.namesakes(function, name).is_empty()
    }

    /// Whether another variable of the function has the name where this one lives.
    fn hides(&self, function: FunctionId, name: &str, scope: &[u32], this: Declared) -> bool {
        self.namesakes(function, name).iter().any(|(other, s, _)| *other != this && overlap(scope, s))
    }

    /// Whether another variable of that name is declared in the same line.
    fn same_line(&self, function: FunctionId, name: &str, at: Option<Origin>) -> bool {
        let line = |o: Option<Origin>| o.map(|o| o.line);
        self.namesakes(function, name).iter().filter(|(.., o)| line(*o) == line(at)).count() > 1
    }
}

fn at_line(name: &str, at: Option<Origin>, with_column: bool) -> String {
    match at {
        Some(at) if with_column && at.column > 0 => format!("{name}@{}:{}", at.line, at.column),
        Some(at) => format!("{name}@{}", at.line),
        None => name.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{F, Fixture, INT, MAIN};

    #[test]
    fn what_hides_another_is_told_by_its_line() {
        let mut fixture = Fixture::new();
        let outer = fixture.local(0, "x", INT, 3, &[]);
        let inner = fixture.local(0, "x", INT, 6, &[1]);
        let (first, second) = (fixture.local(0, "i", INT, 8, &[2]), fixture.local(0, "i", INT, 9, &[3]));
        assert_eq!((fixture.name(outer, 0), fixture.name(inner, 0)), ("x@3".into(), "x@6".into()));
        assert_eq!((fixture.name(first, 0), fixture.name(second, 0)), ("i".into(), "i".into()));
    }

    #[test]
    fn statics_and_globals_of_one_name() {
        let mut fixture = Fixture::new();
        let of_f = fixture.global("n", Some(F), 2);
        let of_main = fixture.global("n", Some(MAIN), 12);
        assert_eq!((fixture.name(of_f, 0), fixture.name(of_main, 0)), ("f::n".into(), "n".into()));
        assert_eq!((fixture.name(of_f, 1), fixture.name(of_main, 1)), ("n".into(), "main::n".into()));
        let global = fixture.global("n", None, 1);
        assert_eq!(fixture.name(global, 0), "::n");
        let other = fixture.global("m", None, 1);
        assert_eq!(fixture.name(other, 0), "m");
    }

    #[test]
    fn calls_are_told_by_their_line_or_their_number() {
        let mut fixture = Fixture::new();
        let first = fixture.local(1, "y", INT, 4, &[]);
        let second = fixture.local(2, "y", INT, 4, &[]);
        assert_eq!((fixture.name(first, 1), fixture.name(first, 2)), ("y".into(), "f@10::y".into()));
        assert_eq!(fixture.name(second, 1), "f@11::y");
        fixture.trace.activations[2].call = fixture.trace.activations[1].call;
        assert_eq!((fixture.name(first, 2), fixture.name(second, 1)), ("f#1::y".into(), "f#2::y".into()));
    }

    #[test]
    fn a_callers_variable_keeps_its_name_where_there_is_no_other() {
        let mut fixture = Fixture::new();
        let x = fixture.local(0, "x", INT, 3, &[]);
        assert_eq!(fixture.name(x, 1), "x");
        fixture.local(1, "x", INT, 5, &[]);
        assert_eq!(fixture.name(x, 1), "main::x");
    }
}
