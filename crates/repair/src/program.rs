//! A program with edits in it: how it is built, chosen from and run.

use crate::choice::Choice;
use crate::edit::Edit;
use crate::narrow::Operands;
use std::collections::HashSet;
use wherefore_budget::Budget;

/// How often a text is compiled with the edits left out that the compiler rejects; and how often with all edits left out
/// of the places where it does: after a wrong one it may not look at the others.
const ROUNDS: usize = 16;
const LAST_ROUNDS: usize = 8;

/// A place in a text that the compiler does not like: the file's number, line and column.
pub type Complaint = (usize, usize, usize);

/// What came of building a program.
pub enum Seen<P> {
    /// It is there.
    Program(P),
    /// The compiler rejects it, here.
    Rejected(Vec<Complaint>),
}

/// What a run did.
#[derive(Clone, Debug, Default)]
pub struct Ran {
    /// Whether it passes.
    pub passes: bool,
    /// Whether it does so with something that C does not allow and that the program did before.
    pub blemished: bool,
    /// How often each line of the program was executed; empty where that was not counted.
    pub counts: Vec<u32>,
    /// What it printed, where that was kept.
    pub stdout: Vec<u8>,
}

/// What came of an edit in some tests.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Screened {
    /// It passes all.
    Passes,
    /// It fails this one.
    Fails(usize),
    /// There was no time.
    NotTried,
}

/// A program that was built.
pub trait Built: Sync {
    /// What runs tests one after the other.
    type Lane: Send;
    /// What cannot be helped.
    type Error: Send;

    /// A process that runs tests.
    ///
    /// # Errors
    /// When there is none.
    fn lane(&self) -> Result<Self::Lane, Self::Error>;

    /// Runs a test with the edit of this number.
    ///
    /// # Errors
    /// When it cannot be run.
    fn run(&self, lane: &mut Self::Lane, chosen: u32, test: usize) -> Result<Ran, Self::Error>;

    /// Runs tests with each of some edits, until one fails.
    ///
    /// # Errors
    /// When one cannot be run.
    fn screen(
        &self,
        lane: &mut Self::Lane,
        edits: &[u32],
        tests: &[usize],
        budget: &Budget,
    ) -> Result<Vec<Screened>, Self::Error> {
        let mut order = tests.to_vec();
        edits.iter().map(|edit| self.screen_one(lane, *edit, &mut order, budget)).collect()
    }

    /// The same for one edit, test by test. What fails with one edit is likely to fail with the next, so it comes early
    /// then; but most fail at once.
    ///
    /// # Errors
    /// When one cannot be run.
    fn screen_one(
        &self,
        lane: &mut Self::Lane,
        edit: u32,
        order: &mut [usize],
        budget: &Budget,
    ) -> Result<Screened, Self::Error> {
        for place in 0..order.len() {
            if budget.stopped().is_some() {
                return Ok(Screened::NotTried);
            }
            let test = order[place];
            if !self.run(lane, edit, test)?.passes {
                if place > 1 {
                    order[1..=place].rotate_right(1);
                }
                return Ok(Screened::Fails(test));
            }
        }
        Ok(Screened::Passes)
    }

    /// For each of some edits those of a few tests that pass; none where there was no time.
    ///
    /// # Errors
    /// When one cannot be run.
    fn passed(
        &self,
        lane: &mut Self::Lane,
        edits: &[u32],
        tests: &[usize],
        budget: &Budget,
    ) -> Result<Vec<Vec<usize>>, Self::Error> {
        edits.iter().map(|edit| self.passed_one(lane, *edit, tests, budget)).collect()
    }

    /// The same for one edit, test by test.
    ///
    /// # Errors
    /// When one cannot be run.
    fn passed_one(
        &self,
        lane: &mut Self::Lane,
        edit: u32,
        tests: &[usize],
        budget: &Budget,
    ) -> Result<Vec<usize>, Self::Error> {
        let mut passed = vec![];
        for test in tests {
            if budget.stopped().is_some() {
                return Ok(vec![]);
            }
            if self.run(lane, edit, *test)?.passes {
                passed.push(*test);
            }
        }
        Ok(passed)
    }
}

/// Builds programs.
pub trait Workshop {
    /// What is built.
    type Program: Built<Error = Self::Error>;
    /// What cannot be helped.
    type Error: Send;

    /// The program with other texts than those of its files; `careful`: a test passes only if it does nothing that C
    /// does not allow.
    ///
    /// # Errors
    /// When it cannot be built for another reason than its text.
    fn build(&self, texts: &[String], careful: bool) -> Result<Seen<Self::Program>, Self::Error>;
}

/// A program with edits to choose from, and their numbers.
pub type Chosen<'e, W> = Option<(<W as Workshop>::Program, Vec<(u32, &'e Edit)>)>;

/// A program in which edits can be chosen.
pub struct Choosing<'a, W: Workshop> {
    /// Builds the program.
    pub workshop: &'a W,
    /// The texts of its files.
    pub texts: &'a [String],
    /// What edits need, on one line.
    pub declared: &'a str,
    /// What it may take.
    pub budget: &'a Budget,
}

impl<W: Workshop> Choosing<'_, W> {
    /// The program with all of some edits that compile, and their numbers; `None` where there is none.
    ///
    /// # Errors
    /// When it cannot be built for another reason than its text.
    pub fn build<'e>(&self, edits: &[&'e Edit], careful: bool) -> Result<Chosen<'e, W>, W::Error> {
        let operands: Vec<Operands> = self.texts.iter().map(|text| Operands::new(text)).collect();
        let mut edits = edits.to_vec();
        // Edits of one unit have numbers that follow each other, and in it those of one operand.
        edits.sort_by_cached_key(|edit| {
            let operand = operands[edit.file].of(edit).map(|at| (at.start, at.end));
            (edit.file, edit.unit(), operand)
        });
        for round in 0..ROUNDS + LAST_ROUNDS {
            let numbered: Vec<(u32, &Edit)> = (1..).zip(edits.iter().copied()).collect();
            let of_file = |file: usize| numbered.iter().copied().filter(|(_, e)| e.file == file).collect::<Vec<_>>();
            let choice =
                |file: usize| Choice::new(&self.texts[file], &operands[file], &of_file(file), self.declared, file == 0);
            let choices: Vec<Choice> = (0..self.texts.len()).map(choice).collect();
            let texts: Vec<String> = choices.iter().map(|c| c.text.clone()).collect();
            let complaints = match self.workshop.build(&texts, careful)? {
                Seen::Program(program) => return Ok(Some((program, numbered))),
                Seen::Rejected(complaints) => complaints,
            };
            let blamed: HashSet<u32> = complaints
                .iter()
                .filter_map(|(file, line, column)| Some(choices.get(*file)?.at(*line, *column)))
                .flatten()
                .collect();
            if blamed.is_empty() || self.budget.stopped().is_some() {
                return Ok(None);
            }
            let place = |edit: &Edit| (edit.file, edit.unit());
            let wrong = numbered.iter().filter(|(number, _)| round >= ROUNDS && blamed.contains(number));
            let places: HashSet<(usize, (usize, usize))> = wrong.map(|(_, edit)| place(edit)).collect();
            let stays = |number: u32, edit: &Edit| !blamed.contains(&number) && !places.contains(&place(edit));
            edits = numbered.iter().filter(|(number, edit)| stays(*number, edit)).map(|(_, edit)| *edit).collect();
        }
        Ok(None)
    }
}
