//! Which lines the tests execute: what all failing ones come to and few passing ones is suspect.

use super::tested::Tested;
use std::collections::{HashMap, HashSet};
use std::ops::RangeInclusive;
use wherefore_program::{FileId, Program};
use wherefore_session::Observed;

/// A line of a file.
pub type Line = (FileId, u32);

/// What an edit costs more in a line that all passing tests execute.
const MOST: usize = 3;

/// How many tests execute each line.
pub struct Spectrum {
    /// Of the failing ones and of the passing ones.
    lines: HashMap<Line, [usize; 2]>,
    failing: usize,
    passing: usize,
}

impl Spectrum {
    /// Counts what the tests did.
    pub fn new(program: &Program, tested: &Tested) -> Spectrum {
        let mut spectrum = Spectrum { lines: HashMap::new(), failing: 0, passing: 0 };
        // Many tests execute the same.
        let mut alike: HashMap<Vec<bool>, (&Observed, [usize; 2])> = HashMap::new();
        for (seen, fails) in tested.observed.iter().zip(&tested.fails) {
            let blocks = seen.counts.iter().map(|count| *count > 0).collect();
            alike.entry(blocks).or_insert((seen, [0, 0])).1[usize::from(!*fails)] += 1;
        }
        for (seen, [failing, passing]) in alike.into_values() {
            let lines = executed(program, seen);
            // Where nothing was counted nothing is known.
            if lines.is_empty() {
                continue;
            }
            spectrum.failing += failing;
            spectrum.passing += passing;
            for line in lines {
                let tests = spectrum.lines.entry(line).or_default();
                *tests = [tests[0] + failing, tests[1] + passing];
            }
        }
        spectrum
    }

    /// The lines that all failing tests execute: what one of them never comes to does not repair it.
    pub fn of_all_failing(&self) -> HashSet<Line> {
        let of_all = self.lines.iter().filter(|(_, [failing, _])| *failing == self.failing);
        of_all.map(|(line, _)| *line).collect()
    }

    /// The lines that some failing test executes.
    pub fn of_some_failing(&self) -> HashSet<Line> {
        self.lines.iter().filter(|(_, [failing, _])| *failing > 0).map(|(line, _)| *line).collect()
    }

    /// How many failing and how many passing tests execute some lines.
    pub fn tests(&self, file: FileId, lines: RangeInclusive<u32>) -> [usize; 2] {
        lines.filter_map(|line| self.lines.get(&(file, line)).copied()).max().unwrap_or_default()
    }

    /// What an edit of some lines costs more, for the passing tests that execute them.
    pub fn price(&self, file: FileId, lines: RangeInclusive<u32>) -> u32 {
        let passing = lines.filter_map(|line| self.lines.get(&(file, line)).map(|n| n[1])).min();
        passing.map_or(0, |n| ((MOST * n + self.passing / 2) / self.passing.max(1)) as u32)
    }
}

/// The lines that a run executed.
pub fn executed(program: &Program, seen: &Observed) -> HashSet<Line> {
    let mut lines = HashSet::new();
    for function in &program.functions {
        for (number, block) in function.blocks.iter().enumerate() {
            let count = seen.counts.get(function.first_block as usize + number).copied().unwrap_or(0);
            if count > 0 {
                let places = block.commands.iter().map(|c| c.at).chain([block.terminator.at]).flatten();
                lines.extend(places.map(|at| (at.file, at.line)));
            }
        }
        if seen.counts.get(function.first_block as usize).is_some_and(|n| *n > 0) {
            lines.extend(function.origin.iter().map(|at| (at.file, at.line)));
        }
    }
    lines
}
