//! A test as assumptions: its inputs, and what the run must do.
//!
//! Standard input and output are streams. At each event the position in them may depend on the path, so it is kept as
//! a choice: for every position the condition under which the program is there. A path that reads or writes more, less
//! or something else than the recorded one is then judged like any other.

use crate::format::{self, Piece};
use crate::scan::Read;
use crate::{Event, Expected, FreeText, Observation, TestFormula, TestInput, Unfolding};
use std::collections::BTreeMap;
use wherefore_formula::{Evaluation, Node, Sort, TermId};

/// Positions and when the stream is there.
type Positions = BTreeMap<usize, TermId>;

impl Unfolding {
    /// The assumptions of a test.
    pub fn test(&mut self, input: &TestInput, expected: &Expected) -> TestFormula {
        let inputs = self.inputs.iter().map(|(var, sort, source)| (*var, *sort, source.value(input))).collect();
        let mut reads = vec![];
        self.read_streams(input, &mut reads);
        let mut demands = vec![];
        for failure in self.failures.iter().map(|f| f.guard).collect::<Vec<_>>() {
            demands.push(self.terms.not(failure));
        }
        for cut in self.cut.clone() {
            demands.push(self.terms.not(cut));
        }
        // Some way to end is taken.
        let ends: Vec<TermId> = self.exits.iter().map(|e| e.0).collect();
        demands.push(self.terms.or(ends));
        if let Some(status) = expected.status {
            let wanted = self.terms.bits(8, status as u128 & 0xff);
            for (guard, status) in self.exits.clone() {
                let low = self.terms.extract(status, 0, 8);
                let right = self.terms.eq(low, wanted);
                demands.push(self.terms.implies(guard, right));
            }
        }
        let mut texts = vec![];
        if let Some(stdout) = &expected.stdout {
            demands.push(self.writes(stdout, &mut texts));
        }
        let passes = self.terms.and(demands);
        TestFormula { inputs, reads, passes, texts }
    }

    /// What is read follows from the position in the test's input.
    fn read_streams(&mut self, input: &TestInput, constraints: &mut Vec<TermId>) {
        let truth = self.terms.truth(true);
        let mut stdin = Positions::from([(0, truth)]);
        let mut nondet = Positions::from([(0, truth)]);
        for event in self.events.clone() {
            let Event::Read { guard, read } = event else { continue };
            let positions = if read.is_nondet() { &mut nondet } else { &mut stdin };
            let before = std::mem::take(positions);
            let after = self.read(input, guard, &read, before, constraints);
            *(if read.is_nondet() { &mut nondet } else { &mut stdin }) = after;
        }
    }

    fn read(
        &mut self,
        input: &TestInput,
        guard: TermId,
        read: &Read,
        before: Positions,
        constraints: &mut Vec<TermId>,
    ) -> Positions {
        let mut after = Positions::new();
        for (position, here) in before {
            let (taken, skipped) = self.part(here, guard);
            self.add(&mut after, position, skipped);
            if self.terms.truth_value(taken) == Some(false) {
                continue;
            }
            let (values, next) = read.outcome(input, position);
            for ((var, sort), value) in read.results.iter().zip(values) {
                let Sort::Bits(bits) = *sort else { continue };
                let variable = self.terms.var(*var, *sort);
                let value = self.terms.bits(bits, value);
                let equal = self.terms.eq(variable, value);
                constraints.push(self.terms.implies(taken, equal));
            }
            self.add(&mut after, next, taken);
        }
        after
    }

    /// That everything written is a text. Which parts of it free statements may write is added to `free`.
    fn writes(&mut self, text: &[u8], free: &mut Vec<FreeText>) -> TermId {
        let truth = self.terms.truth(true);
        let mut positions = Positions::from([(0, truth)]);
        for event in self.events.clone() {
            let Event::Write { guard, pieces, selector, statement } = event else { continue };
            let mut after = Positions::new();
            let mut starts = Positions::new();
            for (position, here) in positions {
                let (taken, skipped) = self.part(here, guard);
                self.add(&mut after, position, skipped);
                self.add(&mut starts, position, taken);
            }
            let ends = self.writes_pieces(text, starts.clone(), &pieces);
            match selector {
                None => {
                    for (position, here) in ends {
                        self.add(&mut after, position, here);
                    }
                }
                Some(selector) => {
                    for (position, here) in ends {
                        let kept = self.terms.and2(selector, here);
                        self.add(&mut after, position, kept);
                    }
                    let (starts, end) = self.writes_anything(text, selector, starts, &mut after);
                    free.push(FreeText { statement, kept: selector, starts, end });
                }
            }
            positions = after;
        }
        match positions.remove(&text.len()) {
            Some(here) => here,
            None => self.terms.truth(false),
        }
    }

    fn writes_pieces(&mut self, text: &[u8], starts: Positions, pieces: &[Piece]) -> Positions {
        let mut positions = starts;
        for piece in pieces {
            let mut after = Positions::new();
            for (position, here) in positions {
                for (end, condition) in format::matches(&mut self.terms, piece, text, position) {
                    let there = self.terms.and2(here, condition);
                    self.add(&mut after, end, there);
                }
            }
            positions = after;
        }
        positions
    }

    /// A statement set free may write any text. One choice says up to where.
    fn writes_anything(
        &mut self,
        text: &[u8],
        kept: TermId,
        starts: Positions,
        after: &mut Positions,
    ) -> (Vec<(usize, TermId)>, TermId) {
        let free = self.terms.not(kept);
        let bits = usize::BITS - text.len().leading_zeros() + 1;
        let choice = self.next_variable();
        let choice = self.terms.var(choice, Sort::Bits(bits));
        // It ends at the chosen place if it started somewhere before.
        let mut started = self.terms.truth(false);
        for end in 0..=text.len() {
            if let Some(here) = starts.get(&end) {
                started = self.terms.or2(started, *here);
            }
            let number = self.terms.bits(bits, end as u128);
            let chosen = self.terms.eq(choice, number);
            let there = self.terms.and([free, started, chosen]);
            self.add(after, end, there);
        }
        (starts.into_iter().collect(), choice)
    }

    /// `here && guard` and `here && !guard`.
    fn part(&mut self, here: TermId, guard: TermId) -> (TermId, TermId) {
        // A place left by an earlier event of the same path cannot be met again under a guard that implies the
        // earlier one; the shapes of guards show it.
        let excluded = self.terms.conjuncts(here).iter().any(|item| match *self.terms.node(*item) {
            Node::Not(inner) => self.guards.implies(&self.terms, guard, inner),
            _ => false,
        });
        let taken = if excluded { self.terms.truth(false) } else { self.terms.and2(here, guard) };
        let skipped = if excluded {
            here
        } else {
            let negated = self.terms.not(guard);
            self.terms.and2(here, negated)
        };
        (taken, skipped)
    }

    fn add(&mut self, positions: &mut Positions, position: usize, condition: TermId) {
        if self.terms.truth_value(condition) == Some(false) {
            return;
        }
        let condition = match positions.get(&position) {
            Some(known) => self.guards.join(&mut self.terms, *known, condition),
            None => condition,
        };
        positions.insert(position, condition);
    }

    fn next_variable(&mut self) -> wherefore_formula::VarId {
        self.next_variable += 1;
        wherefore_formula::VarId(self.next_variable - 1)
    }

    /// What the program does in a run; `None` where that depends on what is open, or the run leaves what was unfolded.
    pub fn observe(&self, run: &mut Evaluation) -> Option<Observation> {
        let terms = &self.terms;
        for cut in &self.cut {
            if run.value(terms, *cut)? == 1 {
                return None;
            }
        }
        for (number, failure) in self.failures.iter().enumerate() {
            if run.value(terms, failure.guard)? == 1 {
                return Some(Observation::Fails(number));
            }
        }
        let mut stdout = vec![];
        for event in &self.events {
            let Event::Write { guard, pieces, selector, .. } = event else { continue };
            if run.value(terms, *guard)? == 0 {
                continue;
            }
            if let Some(selector) = selector
                && run.value(terms, *selector)? == 0
            {
                return None;
            }
            for piece in pieces {
                piece.render(&mut |term| run.value(terms, term), &mut stdout)?;
            }
        }
        for (guard, status) in &self.exits {
            if run.value(terms, *guard)? == 1 {
                return Some(Observation::Ends { stdout, status: run.value(terms, *status)? as i32 & 0xff });
            }
        }
        None
    }

    /// When a statement writes something to standard output, for each time it may do so.
    pub fn writes_of(&self, statement: crate::StatementId) -> impl Iterator<Item = TermId> + '_ {
        self.events.iter().filter_map(move |event| match event {
            Event::Write { guard, statement: Some(own), .. } if *own == statement => Some(*guard),
            _ => None,
        })
    }

    /// The run of a test with every statement kept, term by term.
    pub fn evaluation(&self, input: &TestInput) -> Evaluation {
        self.evaluation_of(input, None)
    }

    /// As [`Unfolding::evaluation`], with the statement of one selector free. Its values must be set in the order of
    /// the instances, before anything that depends on them is asked for.
    pub fn evaluation_without(&self, input: &TestInput, selector: wherefore_formula::VarId) -> Evaluation {
        self.evaluation_of(input, Some(selector))
    }

    fn evaluation_of(&self, input: &TestInput, without: Option<wherefore_formula::VarId>) -> Evaluation {
        let mut run = crate::bounds::TestRun::new(input.clone());
        for selector in &self.selectors {
            if let Node::Var(var, _) = self.terms.node(*selector) {
                run.evaluation.set(*var, u128::from(Some(*var) != without));
            }
        }
        if let Node::Var(texts, _) = self.terms.node(self.texts) {
            run.evaluation.set(*texts, 0);
        }
        for (var, _, source) in &self.inputs {
            run.evaluation.set(*var, source.value(input));
        }
        self.guards.name_in(&self.terms, &mut run.evaluation);
        for event in &self.events {
            if let Event::Read { guard, read } = event {
                run.read(&self.terms, *guard, read);
            }
        }
        run.evaluation
    }
}

#[cfg(test)]
mod tests;
