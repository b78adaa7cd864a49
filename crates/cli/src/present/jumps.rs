//! What a branch leads to where that is only a jump, and where a result comes from that decides a branch.

use super::history::{History, copied};
use super::{Presenter, statement_control};
use wherefore_formula::{TermId, VarId};
use wherefore_localize::StoryStep;
use wherefore_program::{Command, Operation, Origin, Place, Terminator, Unnamed};
use wherefore_source::Extent;
use wherefore_trace::{Action, Branch, Kind, Storage};

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

    /// Where the function returned whose result a condition is about, and its name.
    pub fn returned_at(&self, condition: TermId, at: usize, history: &History) -> Option<(Origin, &str)> {
        let read = self.trace.terms.variables(condition);
        let mut results = read.into_iter().filter_map(|v| Some((v, self.result_of(v)?)));
        let (variable, callee) = results.next()?;
        if results.next().is_some() {
            return None;
        }
        let returned = history.last(variable, at)?;
        // Where there are several `return`s, each leaves its value for the end of the function.
        let returned = self.left_for(returned, history).unwrap_or(returned);
        Some((self.trace.steps[returned].at?, self.function(callee)))
    }

    /// The step that gave what another one returns.
    fn left_for(&self, returned: usize, history: &History) -> Option<usize> {
        let step = &self.trace.steps[returned];
        let Action::Assign { value, .. } = step.action else { return None };
        // Not that of a function whose result is only passed on.
        let slot =
            self.trace.terms.variables(value).into_iter().find(|v| self.result_of(*v) == Some(step.activation))?;
        history.last(slot, returned)
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
