//! How it is told that a value came from another thread.

use super::Presenter;
use std::collections::BTreeSet;
use wherefore_formula::VarId;
use wherefore_program::FunctionId;
use wherefore_trace::{Action, Kind, Step, Storage, Writer};
use wherefore_wording::called;

impl Presenter<'_> {
    /// Who wrote the value of a step: where that is known, by where the thread began, else `another thread`.
    pub fn other_thread(&self, step: &Step) -> String {
        match self.writers(step) {
            [one, rest @ ..] if rest.iter().all(|w| (w.began, w.is_first) == (one.began, one.is_first)) => {
                self.thread_of(one)
            }
            _ => "another thread".into(),
        }
    }

    /// What another thread is to the value of a step, as the end of a sentence about it.
    pub fn told_of_thread(&self, step: &Step, place: &str) -> String {
        let writers = self.writers(step);
        let places: BTreeSet<Option<String>> = writers.iter().map(|w| w.at.map(|_| self.line_of(w.at))).collect();
        match places.first().and_then(Option::as_ref).filter(|_| places.len() == 1) {
            Some(at) => format!("set at {at} by {}", self.other_thread(step)),
            // It may have been the library as well.
            None if writers.is_empty() => format!("as this thread finds it at {place}"),
            None => format!("written by {} and seen at {place}", self.other_thread(step)),
        }
    }

    /// Whether nobody else has a say in what the run does than its inputs, and all that it did was followed: a store that went
    /// elsewhere may go here with others.
    pub fn is_settled(&self) -> bool {
        self.trace.others.is_none() && !self.trace.is_interrupted && !self.trace.is_sliced
    }

    /// Whether it is known that another thread wrote the value of a step.
    pub fn is_written(&self, step: &Step) -> bool {
        !self.writers(step).is_empty()
    }

    /// Whether another thread may have written what this one wrote before, the same value once more.
    pub fn may_be_overtaken(&self, variable: VarId, set: Option<usize>) -> bool {
        let is_shared =
            matches!(self.trace.variables[variable.0 as usize].storage, Storage::Global { .. } | Storage::Heap { .. });
        let is_own = |step: &Step| !matches!(step.kind, Kind::Thread | Kind::Havoc);
        let set = set.and_then(|position| self.trace.steps.get(position));
        self.trace.others.is_some() && is_shared && set.is_none_or(is_own)
    }

    fn writers(&self, step: &Step) -> &[Writer] {
        let Action::Assign { to, after, .. } = step.action else { return &[] };
        self.trace.others.as_ref().and_then(|others| others.writers.get(&(to, after))).map_or(&[], |all| &all[..])
    }

    fn thread_of(&self, writer: &Writer) -> String {
        if writer.is_first { "the thread that runs main()".into() } else { self.thread_from(writer.began) }
    }

    fn thread_from(&self, function: FunctionId) -> String {
        format!("a thread that began in {}", called(&self.program.functions[function.index()].name, ""))
    }
}
