//! Programs as automata: locations, and edges labelled with statements.

use wherefore_formula::{TermId, Terms, VarId};
use wherefore_relevance::{Execution, Path, Statement, Variable};

/// A location of a program, a number below [`Graph::locations`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LocationId(pub u32);

/// A letter: a statement at one place of the program, index into [`Graph::letters`].
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LetterId(pub u32);

impl LocationId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LetterId {
    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A step of a program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocationId,
    /// What it executes.
    pub letter: LetterId,
    /// Where it leads.
    pub to: LocationId,
}

/// A program as an automaton over its statements that accepts its error traces. Variables of terms index `variables`.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// All its terms.
    pub terms: Terms,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The statements. All kinds of conditions block where they do not hold.
    pub letters: Vec<Statement>,
    /// How many locations there are.
    pub locations: u32,
    /// The steps.
    pub edges: Vec<Edge>,
    /// Where executions start.
    pub initial: Vec<LocationId>,
    /// Where an error has happened. Nothing comes after it.
    pub errors: Vec<LocationId>,
}

impl Graph {
    /// A new location.
    pub fn location(&mut self) -> LocationId {
        self.locations += 1;
        LocationId(self.locations - 1)
    }

    /// A new letter.
    pub fn letter(&mut self, statement: Statement) -> LetterId {
        self.letters.push(statement);
        LetterId(self.letters.len() as u32 - 1)
    }

    /// A new edge.
    pub fn edge(&mut self, from: LocationId, letter: LetterId, to: LocationId) {
        self.edges.push(Edge { from, letter, to });
    }

    /// A word as a path.
    pub fn path(&self, word: &[LetterId]) -> Path {
        Path {
            terms: self.terms.clone(),
            variables: self.variables.clone(),
            statements: word.iter().map(|letter| self.letters[letter.index()]).collect(),
        }
    }

    /// The execution of a word in which choices are made like this: of a variable before the first statement, or at a
    /// position; `None` where a condition does not hold in it.
    pub fn replay(
        &self,
        word: &[LetterId],
        started: &mut dyn FnMut(VarId) -> u128,
        chosen: &mut dyn FnMut(usize) -> u128,
    ) -> Option<Execution> {
        let first = |(number, variable): (usize, &Variable)| match variable.initial {
            Some(value) => value,
            None => started(VarId(number as u32)),
        };
        let initial: Vec<u128> = self.variables.iter().enumerate().map(first).collect();
        let mut now = initial.clone();
        let mut assigned = vec![];
        for (at, letter) in word.iter().enumerate() {
            let statement = self.letters[letter.index()];
            let value = match statement {
                Statement::Assign { value, .. } => self.value(value, &now)?,
                Statement::Havoc { .. } => chosen(at),
                Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                    if self.value(holds, &now)? == 0 {
                        return None;
                    }
                    0
                }
            };
            if let Some(to) = statement.assigned() {
                now[to.0 as usize] = value;
            }
            assigned.push(value);
        }
        Some(Execution { initial, assigned })
    }

    /// The value of a term in a state.
    pub fn value(&self, term: TermId, state: &[u128]) -> Option<u128> {
        let value = self.terms.evaluate(term, &mut |var| state.get(var.0 as usize).copied())?;
        Some(value.raw())
    }

    /// For each location, the edges on ways from a start to an error.
    pub(crate) fn useful(&self) -> Vec<Vec<(LetterId, LocationId)>> {
        let is_error = self.error_table();
        let mut forward: Vec<Vec<LocationId>> = vec![vec![]; self.locations as usize];
        let mut backward = forward.clone();
        for edge in self.edges.iter().filter(|edge| !is_error[edge.from.index()]) {
            forward[edge.from.index()].push(edge.to);
            backward[edge.to.index()].push(edge.from);
        }
        let (reached, reaching) = (closure(&forward, &self.initial), closure(&backward, &self.errors));
        let mut out = vec![vec![]; self.locations as usize];
        for edge in &self.edges {
            let is_useful = !is_error[edge.from.index()] && reached[edge.from.index()] && reaching[edge.to.index()];
            if is_useful {
                out[edge.from.index()].push((edge.letter, edge.to));
            }
        }
        out
    }

    /// For each location whether an error has happened there.
    pub(crate) fn error_table(&self) -> Vec<bool> {
        let mut table = vec![false; self.locations as usize];
        self.errors.iter().for_each(|error| table[error.index()] = true);
        table
    }
}

/// What can be reached.
pub(crate) fn closure(next: &[Vec<LocationId>], from: &[LocationId]) -> Vec<bool> {
    let mut seen = vec![false; next.len()];
    let mut work = from.to_vec();
    while let Some(location) = work.pop() {
        if !std::mem::replace(&mut seen[location.index()], true) {
            work.extend(&next[location.index()]);
        }
    }
    seen
}
