//! Inputs: a variable for each source, and which statement reads what.

use crate::{Source, StatementId, Unfolding};
use rustc_hash::{FxHashMap, FxHashSet};
use wherefore_formula::{Sort, TermId, VarId};

/// The inputs found so far.
#[derive(Default)]
pub(crate) struct Sources {
    all: Vec<(VarId, Sort, Source)>,
    terms: FxHashMap<Source, TermId>,
    /// What is read, and the statement that does.
    read_at: FxHashSet<(TermId, StatementId)>,
    /// The statement that calls the library.
    calling: Option<StatementId>,
}

impl Sources {
    /// A new input.
    pub fn add(&mut self, source: Source, variable: VarId, sort: Sort, term: TermId) {
        self.all.push((variable, sort, source.clone()));
        self.terms.insert(source, term);
    }

    pub fn iter(&self) -> impl Iterator<Item = (VarId, &Source)> {
        self.all.iter().map(|(variable, _, source)| (*variable, source))
    }

    /// The value of a source.
    pub fn term(&self, source: &Source) -> Option<TermId> {
        self.terms.get(source).copied()
    }

    /// The source that a value comes straight from.
    pub fn source(&self, term: TermId) -> Option<&Source> {
        self.terms.iter().find(|(_, own)| **own == term).map(|(source, _)| source)
    }

    /// The library is called by a statement.
    pub fn call_from(&mut self, statement: Option<StatementId>) {
        self.calling = statement;
    }

    /// The statement that calls the library reads something.
    pub fn read(&mut self, term: TermId) {
        self.read_at.extend(self.calling.map(|statement| (term, statement)));
    }

    /// Whether a statement reads this.
    pub fn is_read_at(&self, term: TermId, statement: StatementId) -> bool {
        self.read_at.contains(&(term, statement))
    }

    pub fn finish(self, unfolding: &mut Unfolding) {
        unfolding.inputs = self.all;
    }
}
