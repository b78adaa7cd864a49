//! What a branch leads to where that is only a jump, and where a result comes from that decides a branch.

use super::history::{History, copied};
use super::{Presenter, statement_control};
use wherefore_formula::{TermId, VarId};
use wherefore_localize::StoryStep;
use wherefore_program::{Command, Operation, Origin, Place, Terminator, Unnamed};
use wherefore_source::{ControlKind, Extent};
use wherefore_trace::{Action, Branch, BranchId, Kind, Storage};

/// The longest jump that is quoted.
const LONGEST: usize = 24;

impl Presenter<'_> {
    /// The jump that a branch leads to, when it stands on another line than what is told: the condition, and the
    /// statement that was reached.
    pub fn jump(&self, branch: &Branch, told: [Option<Origin>; 2]) -> Option<(Origin, Extent, String)> {
        let function = self.trace.activations.get(branch.activation as usize)?.function;
        let function = &self.program.functions[function.index()];
        let block = &function.blocks[branch.taken.index()];
        if !matches!(block.terminator.it, Terminator::Goto(_) | Terminator::Return(_)) {
            return None;
        }
        // A value that is returned is put into the slot for it first.
        let only_returns = block.commands.iter().all(|c| match &c.it {
            Command::Store { place: Place::Local(local, _), .. } => function.locals[local.index()].name.is_none(),
            Command::Load { .. } | Command::Define { value: Operation::Copy(_) | Operation::Cast(..), .. } => true,
            _ => false,
        });
        let at = block.commands.first().and_then(|c| c.at).or(block.terminator.at)?;
        let source = self.sources.text(at.file)?;
        let extent = source.extent_of_statement(at.line, at.column)?;
        let text = source.text(extent);
        // What follows after the statement is no jump of its branch.
        let around = statement_control(self.sources.text(branch.at?.file)?, branch.at?)?.whole;
        let inside = branch.at?.file == at.file && (around.line..=around.end_line).contains(&extent.line);
        let word = text.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
        let is_jump = matches!(word, "break" | "continue" | "goto" | "return");
        (is_jump
            && inside
            && only_returns
            && told.iter().flatten().all(|o| o.line != extent.line)
            && text.len() <= LONGEST)
            .then_some((at, extent, text))
    }

    /// What held where a branch was taken, its place and the position it is about. Where a choice decides that is a
    /// constant (`a && b` without `b`), what led to the choice says why.
    pub fn reasons(&self, branch: &Branch, history: &History) -> Vec<(TermId, Option<Origin>, usize)> {
        let led_to = |term: TermId| {
            let v = self.trace.terms.variables(term).pop_first()?;
            let definition = self.trace.variables[v.0 as usize].definition?;
            self.trace.terms.constant(definition)?;
            let scope = self.trace.steps[history.last(v, branch.start)?].scope?;
            Some(&self.trace.branches[scope.index()]).filter(|b| b.end <= branch.start && b.start < branch.start)
        };
        let each = branch.reasons.iter().flat_map(|(term, at)| match led_to(*term) {
            Some(before) => self.reasons(before, history),
            None => vec![(*term, *at, branch.start)],
        });
        each.collect()
    }

    /// Whether a branch was taken because of a variable.
    pub fn is_about(&self, branch: BranchId, variable: VarId, history: &History) -> bool {
        let reasons = self.reasons(&self.trace.branches[branch.index()], history);
        reasons.iter().any(|(term, ..)| self.trace.terms.variables(*term).contains(&variable))
    }

    /// Whether a place lies in the `if` statement of a condition, not only behind it.
    pub fn is_inside_if(&self, at: Option<Origin>, condition: Option<Origin>) -> bool {
        let inside = |at: Origin, condition: Origin| {
            let control = statement_control(self.sources.text(condition.file)?, condition)?;
            let (from, to) =
                ((control.whole.line, control.whole.column), (control.whole.end_line, control.whole.end_column));
            let inside = at.file == condition.file && (from..to).contains(&(at.line, at.column));
            (control.kind == ControlKind::If).then_some(inside)
        };
        at.zip(condition).and_then(|(at, condition)| inside(at, condition)).unwrap_or(false)
    }

    /// Where the function returned whose result a condition is about, and its name.
    pub fn returned_at(&self, condition: TermId, at: usize, history: &History) -> Option<(Origin, &str)> {
        let read = self.trace.terms.variables(condition);
        let mut results = read.into_iter().filter_map(|v| Some((v, self.result_of(v)?)));
        let (variable, callee) = results.next()?;
        if results.next().is_some() {
            return None;
        }
        let returned = self.trace.steps[history.last(variable, at)?].at?;
        Some((returned, self.function(callee)))
    }

    /// The activation whose result a variable is.
    fn result_of(&self, v: VarId) -> Option<u32> {
        match self.trace.variables[v.0 as usize].storage {
            Storage::Result { activation } => Some(activation),
            Storage::Local { activation, .. } if self.names.unnamed(v) == Some(Unnamed::Result) => Some(activation),
            _ => None,
        }
    }

    /// Whether a step returns what its function has computed in a variable of its own, or has decided on: that is no
    /// mere passing on.
    pub fn returns_its_own(&self, step: &StoryStep) -> bool {
        step.positions.iter().filter_map(|p| self.trace.steps.get(*p)).any(|s| match s.action {
            Action::Assign { value, .. } if s.kind == Kind::Return => {
                let own = copied(self.trace, value).is_some_and(|v| self.is_own(v, s.activation));
                own || self.innermost(s.scope, s.activation).is_some()
            }
            _ => false,
        })
    }

    /// Whether a variable is declared in the body of an activation's function, or is a choice of its own.
    fn is_own(&self, v: VarId, activation: u32) -> bool {
        match self.trace.variables[v.0 as usize].storage {
            Storage::Choice { .. } => true,
            Storage::Local { activation: of, local, .. } => {
                let function = self.trace.activations[of as usize].function;
                let declared = &self.program.functions[function.index()].locals[local.index()];
                of == activation && declared.param.is_none() && declared.name.is_some()
            }
            _ => false,
        }
    }
}
