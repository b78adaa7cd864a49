//! Traces of small C programs. They stand here rather than beside the code because what makes a trace of a C text
//! depends on this crate.

mod calls;
mod decisions;
mod events;
mod failures;
mod faults;
mod hangs;
mod library;
mod lives;
mod memory;
mod misuse;
mod other_sides;
mod output;
mod scopes;
mod slices;

use wherefore_fixtures::Fixture;
use wherefore_formula::{TermId, VarId};
use wherefore_program::{Origin, Program};
use wherefore_trace::{Action, Kind, Storage, Trace};

/// A program and the trace of a run of it.
struct Told {
    program: Program,
    trace: Trace,
}

/// The run of a program that is given nothing.
fn run(source: &str) -> Told {
    let fixture = Fixture::new(source);
    let trace = fixture.trace(&fixture.run(&[]));
    consistent(Told { program: fixture.program().clone(), trace })
}

/// The call of a function `f` with numbers.
fn call(source: &str, arguments: &[i64]) -> Told {
    let fixture = Fixture::with_entry(source, "f");
    let trace = fixture.trace(&fixture.run(arguments));
    consistent(Told { program: fixture.program().clone(), trace })
}

/// Holds of every trace: values are those of the terms, conditions are true, `if` and `endif` nest as `scope` says.
fn consistent(told: Told) -> Told {
    let trace = &told.trace;
    let mut values = trace.initial.clone();
    let mut open = vec![];
    for (position, step) in trace.steps.iter().enumerate() {
        let evaluate = |t: TermId| trace.terms.evaluate(t, &mut |v| values[v.0 as usize]).map(|v| v.raw());
        match &step.action {
            Action::Assign { to, value, after, assumes, .. } => {
                assert_eq!(evaluate(*value), Some(*after), "the value of step {position}");
                assert!(assumes.iter().all(|a| evaluate(*a) == Some(1)), "what step {position} takes for granted");
                values[to.0 as usize] = Some(*after);
            }
            Action::If(branch) => {
                let taken = &trace.branches[branch.index()];
                assert_eq!(evaluate(taken.condition), Some(1), "the condition at step {position}");
                assert_eq!((taken.start, taken.parent), (position, open.last().copied()));
                open.push(*branch);
            }
            Action::EndIf(branch) => {
                assert_eq!(trace.branches[branch.index()].end, position);
                assert_eq!(open.pop(), Some(*branch), "the innermost branch ends at step {position}");
            }
        }
        if !matches!(step.action, Action::If(_)) {
            assert_eq!(step.scope, open.last().copied(), "the scope of step {position}");
        }
    }
    if let Some(failure) = &trace.failure {
        let violated = trace.terms.evaluate(failure.violated, &mut |v| values[v.0 as usize]);
        assert_eq!(violated.and_then(|v| v.as_bool()), Some(true), "what makes the run fail is true at its end");
    }
    told
}

fn line(at: Option<Origin>) -> u32 {
    at.map_or(0, |at| at.line)
}

impl Told {
    /// Lines of the steps that a person would count, with braces around what a branch encloses.
    fn outline(&self) -> String {
        let mut text = String::new();
        for step in &self.trace.steps {
            match step.action {
                Action::If(_) => text += &format!("{}{{ ", line(step.at)),
                Action::EndIf(_) => text += "} ",
                Action::Assign { .. } if step.at.is_none() || matches!(step.kind, Kind::Internal | Kind::Initial) => {}
                Action::Assign { .. } => text += &format!("{} ", line(step.at)),
            }
        }
        text.trim_end().to_string()
    }

    /// The name of a variable.
    fn name(&self, variable: VarId) -> String {
        match &self.trace.variables[variable.0 as usize].storage {
            Storage::Local { activation, local, offset } => {
                let function = self.trace.activations[*activation as usize].function;
                let local = &self.program.functions[function.index()].locals[local.index()];
                part(local.name.as_deref().unwrap_or("slot"), *offset)
            }
            Storage::Global { global, offset } => {
                part(self.program.globals[global.index()].name.as_deref().unwrap_or("literal"), *offset)
            }
            Storage::Heap { offset, .. } => part("heap", *offset),
            Storage::Foreign { .. } => "foreign".into(),
            Storage::Result { .. } => "result".into(),
            Storage::External { callee, .. } => callee.clone(),
            Storage::Saved { of } => format!("old {}", self.name(*of)),
            Storage::Choice { .. } => "choice".into(),
            Storage::Size { .. } => "size".into(),
            Storage::Freed { .. } => "freed".into(),
            Storage::Unset { of } => format!("unset {}", self.name(*of)),
        }
    }

    fn text(&self, term: TermId) -> String {
        self.trace.terms.display(term, &|v| self.name(v))
    }

    /// The assignments as `name := value`, with the kind in front where it is not an assignment.
    fn assignments(&self) -> Vec<String> {
        let mut all = vec![];
        for step in &self.trace.steps {
            let Action::Assign { to, after, .. } = step.action else { continue };
            let bits = self.trace.variables[to.0 as usize].bits;
            let number = ((after << (128 - bits)) as i128) >> (128 - bits);
            let kind = match step.kind {
                Kind::Assign | Kind::Store => String::new(),
                other => format!("{other:?} "),
            };
            all.push(format!("{kind}{} := {number}", self.name(to)));
        }
        all
    }

    /// The conditions of the branches, in order.
    fn conditions(&self) -> Vec<String> {
        self.trace.branches.iter().map(|b| self.text(b.condition)).collect()
    }

    /// The variable of that name that the run assigned last.
    fn variable(&self, name: &str) -> VarId {
        let last = self.trace.steps.iter().rev().find_map(|s| match s.action {
            Action::Assign { to, .. } if self.name(to) == name => Some(to),
            _ => None,
        });
        last.unwrap_or_else(|| panic!("{name} is never assigned: {:?}", self.assignments()))
    }
}

fn part(name: &str, offset: u64) -> String {
    if offset == 0 { name.to_string() } else { format!("{name}+{offset}") }
}
