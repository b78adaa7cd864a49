//! How many programs are made up, and which: number n is always the same one.

use std::ops::Range;

/// What the environment asks for.
pub struct Asked {
    /// The numbers of the programs.
    pub seeds: Range<u64>,
    /// Whether all that is wrong is shown as it is, not only the first.
    pub survey: bool,
}

impl Asked {
    /// `WHEREFORE_PROGRAMS` says how many, `WHEREFORE_SEED` where to begin.
    pub fn new(programs: u64) -> Asked {
        let number = |name: &str, default| std::env::var(name).ok().map_or(default, |v| v.parse().expect("a number"));
        let (programs, first) = (number("WHEREFORE_PROGRAMS", programs), number("WHEREFORE_SEED", 0));
        Asked { seeds: first..first + programs, survey: std::env::var_os("WHEREFORE_SURVEY").is_some() }
    }

    /// How many.
    pub fn programs(&self) -> u64 {
        self.seeds.end - self.seeds.start
    }
}
