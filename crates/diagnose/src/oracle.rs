//! The question that everything here is reduced to.

/// A statement that may be set free. Statements are numbered from 0.
pub type Statement = u32;

/// Statements in increasing order, each once.
pub type Set = Vec<Statement>;

/// The answer of an [`Oracle`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// With these free, the test can pass.
    Repairs,
    /// It cannot: these statements, none of them free, are already in its way. Empty if no repair exists at all. Neither
    /// minimal nor in order necessarily.
    Core(Set),
    /// Nobody knows, for this reason.
    Unknown(String),
}

/// Says whether a test can be repaired by setting statements free.
///
/// Must be monotone: what repairs a test still does so with more statements free. Must be truthful, but not
/// repeatable: which core it names and whether it gives up may change from call to call.
///
/// Nothing that contains a set is looked at while the oracle does not know about that set. So it had better know that a
/// failing test fails as it is; all statements are a core then.
pub trait Oracle {
    /// The number of statements.
    fn count(&self) -> usize;

    /// The number of tests.
    fn tests(&self) -> usize;

    /// Whether the test can pass if these statements, given in increasing order, are free and all others are kept.
    fn check(&mut self, test: usize, free: &[Statement]) -> Verdict;

    /// Whether tests that can each pass with these statements free can do so by one change of them. A core need not be in
    /// the way of any single test.
    fn together(&mut self, tests: &[usize], free: &[Statement]) -> Verdict {
        let _ = (tests, free);
        Verdict::Repairs
    }
}
