//! What else an edit changes in a run: what repairs a value and leaves the rest alone is a likelier repair than what goes other
//! ways, and far likelier than what leaves out what was done before.

use crate::program::Ran;

/// The most that it costs to leave out what was done before, and to do it more or less often.
const MOST_LOST: u32 = 5;
const MOST_CHANGED: u32 = 2;

/// What it costs to print something else than was printed before the failure: nobody has complained of that.
pub(crate) const PRINTS_OTHERWISE: u32 = 2;

/// What an edit changes in a run.
pub(crate) struct Impact {
    /// Lines that are no longer executed.
    pub lost: usize,
    /// Lines that are executed less often, and a part of those that are executed more often: a run that does not fail goes
    /// on.
    pub changed: usize,
    /// Whether something else is printed than before the failure.
    pub prints_otherwise: bool,
}

impl Impact {
    pub fn new(before: &Ran, after: &Ran) -> Impact {
        let lines = || before.counts.iter().zip(&after.counts);
        let lost = lines().filter(|(a, b)| **a > 0 && **b == 0).count();
        let less = lines().filter(|(a, b)| b < a).count() - lost;
        let more = lines().filter(|(a, b)| b > a).count();
        let prints_otherwise = !after.stdout.starts_with(&before.stdout);
        Impact { lost, changed: less + more / 4, prints_otherwise }
    }

    pub fn price(&self) -> u32 {
        let lost = (3 * (self.lost + 1).ilog2() / 2).min(MOST_LOST);
        let changed = (self.changed + 1).ilog2().min(MOST_CHANGED);
        lost + changed + if self.prints_otherwise { PRINTS_OTHERWISE } else { 0 }
    }
}
