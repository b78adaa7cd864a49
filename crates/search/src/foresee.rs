//! Where runs alone would take too long: the formula of the program foresees failures, and runs confirm them.

use crate::attempt::{Attempt, parameters};
use crate::bounded::{Bounded, Cover, Foreseen};
use crate::chosen::Source;
use crate::found::{Error, Limit};
use crate::pointed::pointed;
use crate::search::{OUTSIDE, Search, Verdict};
use crate::solve::{Question, Solution};
use crate::subject::{By, scalars};
use std::collections::{BTreeMap, HashSet};
use wherefore_program::Origin;
use wherefore_unfold::TestInput;

/// Rounds of loops beyond those that runs made, tried one after the other.
const MARGINS: [u32; 3] = [3, 12, 48];
/// Runs that say how far loops are followed.
const GUIDES: usize = 32;
/// The name by which the program knows itself in the formula.
const NAME: &[u8] = b"program";

impl Search<'_> {
    /// Looks for failures that no run showed yet. If the formula covers all inputs, it also proves that there are no
    /// others.
    pub(crate) fn foresee(&mut self) -> Result<(), Error> {
        let margins = if self.limits.unwind.is_some() { &MARGINS[..1] } else { &MARGINS };
        let (mut cover, mut doubt) = (None, None);
        for &margin in margins {
            cover = match self.bounded(margin) {
                Ok(bounded) => {
                    doubt.clone_from(&bounded.doubt);
                    self.foresee_within(bounded)?
                }
                Err(why) => {
                    if self.limits.by == By::Formula && cover.is_none() {
                        self.obstacle(None, format!("further failures were not foreseen: {why}"), None);
                    }
                    break;
                }
            };
            if cover != Some(Cover::Rounds) {
                break;
            }
        }
        match cover {
            Some(Cover::All) => self.found.proved = true,
            Some(Cover::Rounds) => {
                let what = "no other failure is foreseen within the rounds of loops that were followed";
                self.obstacle(None, what, Some(Limit::Unwind));
            }
            Some(Cover::Some) => {
                let why = doubt.map_or(String::new(), |why| format!(": {why}"));
                self.obstacle(None, format!("no other failure is foreseen, which is no proof here{why}"), None);
            }
            None => {}
        }
        Ok(())
    }

    /// The same with a limited number of rounds; which runs it covers if it foresees no more. Nothing if it is cut
    /// short.
    fn foresee_within(&mut self, mut bounded: Bounded) -> Result<Option<Cover>, Error> {
        let mut is_sure = true;
        loop {
            let seen = self.found.failing.iter().filter_map(|case| case.failure.as_ref()?.at);
            bounded.forget(&seen.collect::<HashSet<Origin>>());
            if self.is_late() || self.limits.failing.is_some_and(|n| self.found.failing.len() >= n) {
                return Ok(None);
            }
            match bounded.foresee(self.subject, &self.limits.budget) {
                Foreseen::Fails(input, way) => {
                    let before = self.found.failing.len();
                    let attempt = self.attempt_of(&input);
                    if !self.attempted.contains(&attempt) {
                        self.run_simply(attempt)?;
                    }
                    let mut places = self.found.failing.iter().filter_map(|case| Some(case.failure.as_ref()?.at));
                    // A way to end has no place.
                    let is_shown = match way.at {
                        None => self.found.failing.len() > before,
                        at => places.any(|place| place == at),
                    };
                    if !is_shown {
                        is_sure = false;
                        let what = match way.is_silent {
                            true => OUTSIDE,
                            false => "by its formula the program can fail here; a run did not show it",
                        };
                        self.obstacle(way.at, what, None);
                    }
                }
                Foreseen::Never => {
                    let cover = bounded.cover(&self.limits.budget);
                    return Ok(Some(if is_sure { cover } else { cover.min(Cover::Some) }));
                }
                Foreseen::Unknown(_) if self.is_late() => return Ok(None),
                Foreseen::Unknown(why) => {
                    let what = format!("whether there are other failures could not be decided ({why})");
                    self.obstacle(None, what, None);
                    return Ok(None);
                }
            }
        }
    }

    /// The formula, with loops followed for some rounds more than runs made.
    fn bounded(&mut self, margin: u32) -> Result<Bounded, String> {
        if !self.subject.nondet.is_empty() {
            return Err("some nondeterministic values are given".into());
        }
        let Some((globals, functions)) = &self.images else { return Err("nothing was recorded".into()) };
        let step = self.runs.len().div_ceil(GUIDES).max(1);
        let mut guides = vec![];
        // A run without end would be followed without end.
        let runs = self.runs.iter().enumerate().filter(|(number, _)| !self.endless.contains(number));
        for (_, (attempt, forms)) in runs.step_by(step) {
            let given = attempt.given(&mut self.space, self.subject, forms);
            let guide = TestInput::new(&given, self.subject.program, self.subject.entry, NAME);
            guides.push(guide.map_err(|e| e.to_string())?);
        }
        Bounded::new(self.subject, &guides, globals, functions, margin, self.limits)
    }

    /// What the formula found, as values of the inputs.
    fn attempt_of(&mut self, input: &TestInput) -> Attempt {
        let mut values = BTreeMap::new();
        let mut give = |source: Source, value: u128| {
            if value != 0 {
                values.insert(self.space.variable(source), value);
            }
        };
        for (index, _) in parameters(self.subject) {
            give(Source::Parameter(index), input.parameters.get(index as usize).copied().unwrap_or(0));
        }
        let mut nulls = vec![];
        for pointer in pointed(self.subject) {
            let parameter = pointer.parameter;
            let value = input.parameters.get(parameter as usize).copied().unwrap_or(0);
            nulls.extend((value == 0).then_some(Source::Pointer(parameter)));
            let object = input.objects.iter().find(|(n, _)| *n == parameter).map_or(&[][..], |(_, bytes)| bytes);
            for (offset, form) in pointer.scalars {
                let end = (offset + u64::from(form.bits().div_ceil(8))) as usize;
                let part = object.get(offset as usize..end).unwrap_or(&[]);
                let value = part.iter().rev().fold(0, |v, b| v << 8 | u128::from(*b));
                give(Source::Pointed { parameter, offset }, value);
            }
        }
        for (id, bytes) in &input.globals {
            if !self.subject.globals.contains(id) {
                continue;
            }
            for (offset, form) in scalars(self.subject.program, *id) {
                let end = (offset + u64::from(form.bits().div_ceil(8))) as usize;
                let part = bytes.get(offset as usize..end).unwrap_or(&[]);
                give(Source::Global { id: *id, offset }, part.iter().rev().fold(0, |v, b| v << 8 | u128::from(*b)));
            }
        }
        for (number, value) in (0..).zip(&input.nondet) {
            give(Source::Nondet(number), u128::from(*value));
        }
        values.extend(nulls.into_iter().map(|source| (self.space.variable(source), 0)));
        Attempt { values, items: vec![] }
    }

    /// Makes a run; if it fails, with simpler values that go the same way.
    fn run_simply(&mut self, attempt: Attempt) -> Result<(), Error> {
        let seen = self.make(attempt, None)?;
        if !matches!(seen.verdict, Verdict::Fails(_)) {
            self.add(seen);
            return Ok(());
        }
        let conditions: Vec<_> = seen.path.choices.iter().map(|choice| choice.condition).collect();
        let goal = self.space.terms.and(conditions);
        let question = Question { prefix: &[], goal, wish: None, from: &seen.attempt, forms: &seen.path.forms };
        let Solution::Values(mut values) = self.solving.solve(&mut self.space, &question) else {
            self.add(seen);
            return Ok(());
        };
        values.retain(|variable, value| self.space.is_told(*variable, *value));
        let simple = Attempt { values, items: seen.attempt.items.clone() };
        let again = match self.attempted.contains(&simple) {
            true => None,
            false => Some(self.make(simple, None)?).filter(|again| matches!(again.verdict, Verdict::Fails(_))),
        };
        self.add(again.unwrap_or(seen));
        Ok(())
    }
}
