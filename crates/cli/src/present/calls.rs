//! Which call is meant, where a place in a function does not say it.

use super::Presenter;
use wherefore_localize::{Explanation, StepKind};
use wherefore_program::{Callee, Command, FunctionId, Origin};
use wherefore_report::Loc;
use wherefore_trace::Kind;

/// Calls that are listed in a report.
const LISTED: usize = 32;
/// Calls around a place that are told in a sentence.
const TOLD: usize = 3;

impl Presenter<'_> {
    /// The calls under way in an activation: the caller of each and the place, the innermost first.
    fn calls(&self, activation: u32) -> impl Iterator<Item = (u32, Origin)> + '_ {
        let next = |activation: u32| {
            let it = self.trace.activations.get(activation as usize)?;
            it.caller.zip(it.call)
        };
        std::iter::successors(next(activation), move |(caller, _)| next(*caller))
    }

    /// The places of the calls under way in an activation, for the report.
    pub fn call_places(&self, activation: Option<u32>) -> Vec<Loc> {
        let calls = activation.into_iter().flat_map(|a| self.calls(a)).take(LISTED);
        let place = |(caller, at): (u32, Origin)| {
            let extent = self.sources.text(at.file).and_then(|s| s.extent_of_expression(at.line, at.column));
            self.sources.loc(Some(at), extent, self.function(caller))
        };
        calls.map(place).collect()
    }

    /// `, called at line 30, from line 55`: as far as to what the failing statement lies in, too. Nothing is said of a
    /// function that is called at one place, unless `all` are wanted.
    pub fn called(&self, activation: u32, all: bool) -> String {
        let failing = self.trace.failure.as_ref().map_or(0, |f| f.activation);
        let around: Vec<u32> = [failing].into_iter().chain(self.calls(failing).map(|(caller, _)| caller)).collect();
        let mut said = String::new();
        let mut callee = activation;
        for (caller, at) in self.calls(activation).take(TOLD) {
            if !all && self.is_called_once(callee) {
                break;
            }
            let word = if said.is_empty() { "called at" } else { "from" };
            said.push_str(&format!(", {word} {}", self.line_of(Some(at))));
            if around.contains(&caller) {
                break;
            }
            callee = caller;
        }
        said
    }

    /// Which call it is that fails, where the story does not tell it and the function is called at several places.
    pub fn failing_call(&self, explanation: &Explanation) -> Option<String> {
        let failing = self.trace.failure.as_ref()?.activation;
        let passes =
            explanation.steps.iter().any(|s| s.kind == StepKind::Statement(Kind::Call) && s.activation == failing);
        if passes || self.is_called_once(failing) {
            return None;
        }
        let (_, at) = self.calls(failing).next()?;
        Some(format!("It fails in {}, called at {}.", self.call_text(failing), self.line_of(Some(at))))
    }

    /// Whether the program calls the function of an activation at one place only.
    fn is_called_once(&self, activation: u32) -> bool {
        let Some(function) = self.trace.activations.get(activation as usize).map(|a| a.function) else { return true };
        let commands = self.program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.commands);
        let calls = commands.filter(|c| is_call(&c.it, function)).count();
        calls == 1
    }
}

fn is_call(command: &Command, function: FunctionId) -> bool {
    matches!(command, Command::Call { callee: Callee::Function(callee), .. } if *callee == function)
}
