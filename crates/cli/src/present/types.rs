//! What the types of values have done: numbers that did not fit, and `char`s that are negative.
//!
//! Such a sentence is a fact of the run, told only of what the story tells.

use super::Presenter;
use super::history::History;
use std::collections::BTreeSet;
use wherefore_formula::VarId;
use wherefore_localize::Explanation;
use wherefore_program::{BinaryOp, CType, Origin};
use wherefore_trace::{Action, FailureKind, Kind, Overflow, Storage};
use wherefore_wording::Position;

/// So many steps after an operation its result is still looked for: those of one statement.
const NEAR: usize = 8;

impl Presenter<'_> {
    /// The sentences of a story, with those about types after the first.
    pub fn with_types(&self, explanation: &Explanation, history: &History, mut said: Vec<String>) -> Vec<String> {
        let overflow = self.first_overflow(explanation).map(|(overflow, set)| self.overflow(overflow, set));
        let told: Vec<String> = overflow.into_iter().chain(self.negative(history)).collect();
        let after = said.len().min(1);
        said.splice(after..after, told);
        said
    }

    /// Whether the overflow at a place is a sentence of the story.
    pub fn tells_overflow(&self, explanation: &Explanation, at: Option<Origin>) -> bool {
        at.is_some() && self.first_overflow(explanation).is_some_and(|(overflow, _)| overflow.at == at)
    }

    /// The first overflow whose result the story tells, and the step that keeps the result.
    fn first_overflow(&self, explanation: &Explanation) -> Option<(&Overflow, Option<usize>)> {
        let told: BTreeSet<usize> = explanation.steps.iter().flat_map(|s| s.positions.iter().copied()).collect();
        let reasons = explanation.steps.iter().flat_map(|s| &s.because);
        let decided: BTreeSet<usize> = reasons.map(|(_, _, b)| self.trace.branches[b.index()].start).collect();
        let line = |at: Option<Origin>| at.map(|at| (at.file, at.line));
        self.trace.overflows.iter().find_map(|overflow| {
            let near = overflow.position..self.trace.steps.len().min(overflow.position + NEAR);
            let of_it = near.clone().find(|p| {
                let step = &self.trace.steps[*p];
                let kept = matches!(step.kind, Kind::Assign | Kind::Store | Kind::Return | Kind::Call | Kind::Control);
                kept && (step.kind == Kind::Call || step.activation == overflow.activation)
                    && line(step.at) == line(overflow.at)
            });
            match of_it {
                Some(p) if told.contains(&p) => Some((overflow, Some(p))),
                Some(p) if decided.contains(&p) => Some((overflow, None)),
                None if near.end == self.trace.steps.len() => {
                    let failure = self.trace.failure.as_ref()?;
                    let fails = failure.activation == overflow.activation && line(failure.at) == line(overflow.at);
                    fails.then_some((overflow, None))
                }
                _ => None,
            }
        })
    }

    /// `total overflows at line 25: 1500000000 + 1400000000 = 2900000000 does not fit an int (declared at line 15)`.
    fn overflow(&self, overflow: &Overflow, set: Option<usize>) -> String {
        let (left, right) = overflow.of;
        let (sign, result) = match overflow.operation {
            BinaryOp::Sub => ("-", left.checked_sub(right)),
            BinaryOp::Mul => ("*", left.checked_mul(right)),
            BinaryOp::Shl => ("<<", None),
            _ => ("+", left.checked_add(right)),
        };
        let result = result.map_or(String::new(), |result| format!(" = {result}"));
        let place = self.line_of(overflow.at);
        let kept = set.and_then(|p| self.kept(p, overflow));
        let (subject, declared, ctype) = match kept {
            Some((name, v)) => {
                let activation = self.trace.steps[set.expect("a step keeps it")].activation;
                let declared = self.declared_at(v, &name, activation);
                (name, declared, self.type_name(v))
            }
            None => ("A number".into(), None, None),
        };
        let ctype = ctype.unwrap_or(if overflow.bits == 32 { "int" } else { "long" }.into());
        let declared = declared.map_or(String::new(), |at| format!(" (declared at {})", self.line_of(Some(at))));
        format!(
            "{subject} overflows at {place}: {left} {sign} {right}{result} does not fit {}{declared}.",
            with_article(&ctype)
        )
    }

    /// The variable that keeps the result of an operation, where it has the type that the result does not fit.
    fn kept(&self, position: usize, overflow: &Overflow) -> Option<(String, VarId)> {
        let Action::Assign { to, .. } = self.trace.steps[position].action else { return None };
        let state = History::new(self.trace).state(position);
        let activation = self.trace.steps[position].activation;
        let name = self.spoken(to, Position { activation, at_entry: false, values: &state })?;
        let variable = &self.trace.variables[to.0 as usize];
        let is_result = matches!(variable.storage, Storage::Result { .. });
        (variable.bits == overflow.bits && !is_result).then_some((name, to))
    }

    /// Of what is printed, numbers of a type smaller than `int` that are negative.
    fn negative(&self, history: &History) -> Vec<String> {
        let Some(failure) = self.trace.failure.as_ref().filter(|f| f.kind == FailureKind::Output) else {
            return vec![];
        };
        let end = self.trace.steps.len();
        let state = history.state(end);
        let here = Position { activation: failure.activation, at_entry: false, values: &state };
        let told = self.trace.terms.variables(failure.violated).into_iter().filter_map(|v| {
            let variable = &self.trace.variables[v.0 as usize];
            let Some(CType::Integer { bits: 8 | 16, signed: true, name: ctype }) =
                variable.ctype.map(|t| &self.program.types[t])
            else {
                return None;
            };
            let value = state[v.0 as usize].filter(|value| value >> (variable.bits - 1) & 1 == 1)?;
            let value = value as i128 - (1 << variable.bits);
            let name = self.spoken(v, here)?;
            let declared = self.declared_at(v, &name, failure.activation);
            let declared = declared.map_or(String::new(), |at| format!(" (declared at {})", self.line_of(Some(at))));
            Some(format!("{name} is {value}, {}{declared}.", with_article(ctype)))
        });
        told.collect()
    }

    fn type_name(&self, v: VarId) -> Option<String> {
        match &self.program.types[self.trace.variables[v.0 as usize].ctype?] {
            CType::Integer { name, .. } => Some(name.clone()),
            _ => None,
        }
    }

    /// Where the type of something is declared: the member of a struct, the variable, or the pointer to it.
    fn declared_at(&self, v: VarId, name: &str, activation: u32) -> Option<Origin> {
        let name = name.split(" of ").next()?;
        let whole = name.split('[').next()?;
        let last = name.rsplit("->").next()?.rsplit('.').next()?;
        let last = last.split('[').next()?;
        if last.len() < whole.len() && !whole.starts_with('*') {
            return self.member(last);
        }
        let function = self.trace.activations.get(activation as usize)?.function;
        let own = whole.trim_start_matches(['*', '(']).trim_end_matches(')');
        let is_own = |other: &Option<String>| other.as_deref() == Some(own);
        match self.trace.variables[v.0 as usize].storage {
            Storage::Local { activation, local, .. } => {
                let function = self.trace.activations.get(activation as usize)?.function;
                let declared = &self.program.functions[function.index()].locals[local.index()];
                if is_own(&declared.name) {
                    return declared.origin;
                }
            }
            Storage::Global { global, .. } if is_own(&self.program.globals[global.index()].name) => {
                return self.program.globals[global.index()].origin;
            }
            _ => {}
        }
        let mut locals = self.program.functions[function.index()].locals.iter().filter(|l| is_own(&l.name));
        let mut globals = self.program.globals.iter().filter(|g| is_own(&g.name));
        match (locals.next(), locals.next()) {
            (Some(only), None) => only.origin,
            (Some(_), Some(_)) => None,
            (None, _) => globals.next().and_then(|g| g.origin).filter(|_| globals.next().is_none()),
        }
    }

    /// Where a member is declared, where only one has this name.
    fn member(&self, name: &str) -> Option<Origin> {
        let is_own = |path: &str| !path.starts_with("/usr/") && !path.starts_with('<');
        let files = (0..self.program.files.len()).map(|n| wherefore_program::FileId(n as u32));
        let files = files.filter(|file| is_own(self.sources.path(*file)));
        let mut found = files.flat_map(|file| {
            let members = self.sources.text(file).map_or(vec![], |source| source.members(name));
            members.into_iter().map(move |extent| Origin { file, line: extent.line, column: extent.column })
        });
        found.next().filter(|_| found.next().is_none())
    }
}

fn with_article(ctype: &str) -> String {
    let article = if ctype.starts_with(['a', 'e', 'i', 'o']) || ctype.starts_with("un") { "an" } else { "a" };
    format!("{article} {ctype}")
}
