//! Copies of what the run has not shown yet. When it shows what a copy holds, what was copied is known, too.

use super::{Builder, Range, Value, mask};
use crate::memory::Piece;
use crate::model::Action;
use wherefore_formula::VarId;

/// A variable as it was after so many writes.
type Version = (VarId, u32);

/// A version of a variable whose value is not known yet.
#[derive(Clone, Debug)]
pub(super) struct Unseen {
    /// Its number among all of them: what is copied comes before its copy.
    number: usize,
    step: SetBy,
    /// What it is made of, later parts over earlier ones; nothing where code outside gave it.
    parts: Vec<Part>,
}

/// The step that set a version.
#[derive(Copy, Clone, Debug)]
pub(super) enum SetBy {
    /// A step of the run, by its number.
    Step(usize),
    /// One put between others, by its number among those.
    Inserted(usize),
}

/// Some bits of a variable.
#[derive(Copy, Clone, Debug)]
pub(super) struct Part {
    of: Version,
    from: u32,
    /// Where they lie in the variable that they are a part of.
    at: u32,
    bits: u32,
}

impl Builder<'_> {
    /// Whether the run has shown all that a value is made of.
    pub(super) fn is_shown(&self, value: &Value) -> bool {
        value.facts.reads.iter().all(|read| self.shown(*read).is_some())
    }

    /// The variables in a range that has cells, as parts of one from a bit on.
    pub(super) fn parts_of(&self, range: Range, mut at: u32) -> Vec<Part> {
        let mut parts = vec![];
        for piece in self.memory.pieces(range.object, range.offset, range.size) {
            let Piece::Cell { cell, from, size } = piece else { continue };
            let bits = size as u32 * 8;
            parts.push(Part { of: (cell.variable, self.version(cell.variable)), from: from as u32 * 8, at, bits });
            at += bits;
        }
        parts
    }

    /// A whole version of a variable.
    pub(super) fn whole(&self, of: Version) -> Part {
        Part { of, from: 0, at: 0, bits: self.variables[of.0.0 as usize].bits }
    }

    /// The last step that was made set a variable to what the run has not shown yet.
    pub(super) fn not_shown(&mut self, variable: VarId, step: SetBy, parts: Vec<Part>) {
        self.current[variable.0 as usize] = None;
        let number = self.copies;
        self.copies += 1;
        self.unseen.insert((variable, self.version(variable)), Unseen { number, step, parts });
    }

    /// The run shows what a variable holds now.
    pub(super) fn learn(&mut self, variable: VarId, value: u128) {
        let mut work = vec![((variable, self.version(variable)), value)];
        let mut copies = vec![];
        while let Some((version, value)) = work.pop() {
            let Some(unseen) = self.unseen.remove(&version) else {
                if version.1 == 0 && self.shown(version).is_none() {
                    self.initial[version.0.0 as usize] = Some(value);
                    self.show_version(version, value);
                }
                continue;
            };
            let open = unseen.parts.iter().filter(|part| self.shown(part.of).is_none());
            work.extend(open.map(|part| (part.of, mask(value >> part.at, part.bits) << part.from)));
            copies.push((version, unseen, value));
        }
        copies.sort_by_key(|(_, unseen, _)| unseen.number);
        for (version, unseen, value) in copies {
            let value = if unseen.parts.is_empty() { value } else { self.together(&unseen.parts) };
            self.settle(version, &unseen, value);
        }
    }

    /// What parts that are known make together.
    fn together(&self, parts: &[Part]) -> u128 {
        parts.iter().fold(0, |whole, part| {
            let own = mask(self.shown(part.of).unwrap_or(0) >> part.from, part.bits);
            whole & !(mask(u128::MAX, part.bits) << part.at) | own << part.at
        })
    }

    /// What a version of a variable is, if the run has shown it.
    fn shown(&self, (variable, version): Version) -> Option<u128> {
        let index = variable.0 as usize;
        match self.writes[index].get(version as usize) {
            Some((_, before)) => *before,
            None => self.current[index],
        }
    }

    /// A version is known by now.
    fn settle(&mut self, version: Version, unseen: &Unseen, value: u128) {
        let given = unseen.parts.is_empty().then(|| {
            let bits = self.variables[version.0.0 as usize].bits;
            self.terms.bits(bits, value)
        });
        let step = match unseen.step {
            SetBy::Step(number) => &mut self.steps[number],
            SetBy::Inserted(number) => &mut self.inserts[number].1,
        };
        if let Action::Assign { value: term, after, .. } = &mut step.action {
            *after = value;
            *term = given.unwrap_or(*term);
        }
        self.show_version(version, value);
    }

    fn show_version(&mut self, version: Version, value: u128) {
        let (variable, number) = version;
        let index = variable.0 as usize;
        match self.writes[index].get_mut(number as usize) {
            None => self.current[index] = Some(value),
            Some((position, before)) => {
                *before = Some(value);
                let position = *position;
                let overwrites = |action: &Action| matches!(action, Action::Assign { to, .. } if *to == variable);
                let inserted = self.inserts.iter_mut().filter(|(p, _)| *p == position).map(|(_, step)| step);
                let step = self.steps.get_mut(position).into_iter().chain(inserted).find(|s| overwrites(&s.action));
                if let Some(Action::Assign { before, .. }) = step.map(|step| &mut step.action) {
                    *before = Some(value);
                }
            }
        }
        // Where it was kept for later, that is known with it.
        if let Some(saved) = self.saved.get(&version).map(|saved| (*saved, 1))
            && let Some(unseen) = self.unseen.remove(&saved)
        {
            self.settle(saved, &unseen, value);
        }
    }
}
