//! Questions about terms: what follows, what has to hold before a statement, what holds for every value.

use crate::graph::{Graph, LetterId};
use rustc_hash::FxHashMap;
use wherefore_budget::Budget;
use wherefore_formula::{BinaryOp, Node, Sort, TermId, Terms, VarId};
use wherefore_relevance::Statement;
use wherefore_solver::{Answer, Backend, Cores, Limits, Validity, valid_with};

/// What a question about one statement may take; the same on every machine.
const CONFLICTS: u64 = 20_000;

/// Values that are put in for a variable before a formula about all its values is given up.
const INSTANCES: usize = 12;

/// Terms, and somebody who decides about them.
pub(crate) struct Logic<'g> {
    pub graph: &'g Graph,
    pub terms: Terms,
    pub backend: Backend,
    pub budget: Budget,
    solver: Box<dyn Cores>,
    names: FxHashMap<Sort, Vec<VarId>>,
    next: u32,
    /// Questions that went to a solver.
    pub questions: u64,
}

/// Names that are used in one question.
#[derive(Default)]
pub(crate) struct Names(FxHashMap<Sort, usize>);

impl<'g> Logic<'g> {
    pub fn new(graph: &'g Graph, backend: Backend, budget: &Budget) -> Logic<'g> {
        Logic {
            graph,
            terms: graph.terms.clone(),
            backend,
            budget: budget.clone(),
            solver: backend.within(budget),
            names: FxHashMap::default(),
            next: graph.variables.len() as u32,
            questions: 0,
        }
    }

    /// A name that the question does not use yet. Other questions use it again.
    pub fn fresh(&mut self, names: &mut Names, sort: Sort) -> (VarId, TermId) {
        let used = names.0.entry(sort).or_default();
        let all = self.names.entry(sort).or_default();
        if *used == all.len() {
            // The graph may have terms over names that are no variables of it.
            while self.terms.variable_sort(VarId(self.next)).is_some() {
                self.next += 1;
            }
            all.push(VarId(self.next));
            self.next += 1;
        }
        let var = all[*used];
        *used += 1;
        (var, self.terms.var(var, sort))
    }

    /// A constant of a sort.
    pub fn constant(&mut self, sort: Sort, value: u128) -> TermId {
        constant(&mut self.terms, sort, value)
    }

    /// A solver of its own for a longer conversation.
    pub fn solver(&self) -> Box<dyn Cores> {
        self.backend.within(&self.budget)
    }

    /// Whether premises imply a conclusion. What is not known does not count as implied.
    pub fn implied(&mut self, premises: &[TermId], conclusion: TermId) -> bool {
        self.questions += 1;
        let limits = Limits::conflicts(CONFLICTS).floats(CONFLICTS);
        valid_with(self.solver.as_mut(), &mut self.terms, premises, conclusion, limits) == Validity::Valid
    }

    /// Whether formulas can hold together; where nobody knows they can.
    pub fn possible(&mut self, formulas: &[TermId]) -> bool {
        let never = self.terms.truth(false);
        !self.implied(formulas, never)
    }

    /// A term with one variable replaced.
    pub fn put(&mut self, term: TermId, var: VarId, by: TermId) -> TermId {
        self.terms.substitute(term, &FxHashMap::from_iter([(var, by)]))
    }

    /// What has to hold before a letter so that a formula holds after it; `None` where the letter chooses a value that the
    /// formula speaks about.
    pub fn before(&mut self, letter: LetterId, formula: TermId) -> Option<TermId> {
        match self.graph.letters[letter.index()] {
            Statement::Assign { to, value } => Some(self.put(formula, to, value)),
            Statement::Havoc { to } => (!self.terms.mentions(formula, to)).then_some(formula),
            Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                let implied = self.terms.implies(holds, formula);
                Some(self.simplified(implied))
            }
        }
    }

    /// That a formula holds for every value of a variable; `None` where it takes too many values to say so.
    pub fn for_all(&mut self, formula: TermId, var: VarId) -> Option<TermId> {
        if !self.terms.mentions(formula, var) {
            return Some(formula);
        }
        match self.terms.node(formula).clone() {
            Node::And(items) => {
                let all: Option<Vec<TermId>> = items.iter().map(|item| self.for_all(*item, var)).collect();
                Some(self.terms.and(all?))
            }
            Node::Or(items) => {
                let (about, rest): (Vec<TermId>, Vec<TermId>) =
                    items.iter().partition(|item| self.terms.mentions(**item, var));
                let about = self.terms.or(about);
                let about = self.instances(about, var, &[]).ok()?;
                Some(self.terms.or(rest.into_iter().chain([about])))
            }
            _ => self.instances(formula, var, &[]).ok(),
        }
    }

    /// That a formula holds for some value of a variable, or less than that: for values that were tried, the given one first.
    pub fn for_some(&mut self, formula: TermId, var: VarId, given: u128) -> TermId {
        if !self.terms.mentions(formula, var) {
            return formula;
        }
        let sort = self.graph.variables[var.0 as usize].sort;
        let given = self.constant(sort, given);
        let never = self.terms.not(formula);
        let (Ok(for_all) | Err(for_all)) = self.instances(never, var, &[given]);
        let some = self.terms.not(for_all);
        self.simplified(some)
    }

    /// Instances of a formula which imply it for all values; those that were found where they do not.
    fn instances(&mut self, formula: TermId, var: VarId, first: &[TermId]) -> Result<TermId, TermId> {
        let mut tried: Vec<TermId> = first.to_vec();
        let mut all: Vec<TermId> = first.iter().map(|by| self.put(formula, var, *by)).collect();
        let candidates = self.companions(formula, var);
        let denied = self.terms.not(formula);
        let sort = self.terms.variable_sort(var).unwrap_or(Sort::Bool);
        let mut solver = self.solver();
        solver.set_limits(Limits::conflicts(CONFLICTS).floats(CONFLICTS));
        solver.assert(&self.terms, denied);
        all.iter().for_each(|instance| solver.assert(&self.terms, *instance));
        loop {
            let together = self.terms.and(all.iter().copied());
            let together = self.simplified(together);
            if self.terms.truth_value(together) == Some(false) {
                return Ok(together);
            }
            self.questions += 1;
            match solver.check(&self.terms, &[]) {
                Answer::Unsat => return Ok(together),
                Answer::Unknown(_) => return Err(together),
                Answer::Sat if tried.len() >= INSTANCES => return Err(together),
                Answer::Sat => {}
            }
            let value = solver.value(&self.terms, var, sort).unwrap_or(0);
            let mut model = |var: VarId| {
                let sort = self.terms.variable_sort(var)?;
                Some(solver.value(&self.terms, var, sort).unwrap_or(0))
            };
            let found = candidates.iter().copied().find(|candidate| {
                let is_it = self.terms.evaluate(*candidate, &mut model).is_some_and(|found| found.raw() == value);
                is_it && !tried.contains(candidate)
            });
            let by = found.unwrap_or_else(|| constant(&mut self.terms, sort, value));
            if tried.contains(&by) {
                return Err(together);
            }
            let instance = self.put(formula, var, by);
            solver.assert(&self.terms, instance);
            tried.push(by);
            all.push(instance);
        }
    }

    /// What a variable is compared with in a formula, and what lies beside that.
    fn companions(&mut self, formula: TermId, var: VarId) -> Vec<TermId> {
        let mut found = vec![];
        for part in self.terms.reachable(&[formula]) {
            let (Node::Eq(a, b) | Node::Compare(_, a, b)) = *self.terms.node(part) else { continue };
            for (this, other) in [(a, b), (b, a)] {
                if matches!(self.terms.node(this), Node::Var(found, _) if *found == var)
                    && !self.terms.mentions(other, var)
                {
                    found.push(other);
                }
            }
        }
        for term in found.clone() {
            if let Sort::Bits(bits) = self.terms.sort(term) {
                let one = self.terms.bits(bits, 1);
                found.push(self.terms.binary(BinaryOp::Add, term, one));
                found.push(self.terms.binary(BinaryOp::Sub, term, one));
            }
        }
        found
    }

    /// The same formula where what one part says about a variable is put into the others.
    pub fn simplified(&mut self, formula: TermId) -> TermId {
        let mut formula = formula;
        loop {
            let (items, is_and) = match self.terms.node(formula) {
                Node::And(items) => (items.to_vec(), true),
                Node::Or(items) => (items.to_vec(), false),
                _ => return formula,
            };
            let mut next = items.clone();
            for (number, item) in items.iter().enumerate() {
                let Some((var, value)) = self.fixes(*item, is_and) else { continue };
                for (other, term) in next.iter_mut().enumerate().filter(|(other, _)| *other != number) {
                    // Two that fix one variable would put each other away.
                    if self.fixes(*term, is_and).is_none_or(|(same, _)| same != var || other > number) {
                        *term = self.terms.substitute(*term, &FxHashMap::from_iter([(var, value)]));
                    }
                }
            }
            let changed = if is_and { self.terms.and(next) } else { self.terms.or(next) };
            if changed == formula {
                return formula;
            }
            formula = changed;
        }
    }

    /// The value that a conjunct gives a variable, or that the denial of a disjunct does.
    fn fixes(&self, item: TermId, is_and: bool) -> Option<(VarId, TermId)> {
        let item = match (self.terms.node(item), is_and) {
            (Node::Var(var, _), true) => return Some((*var, self.terms.truth(true))),
            (Node::Var(var, _), false) => return Some((*var, self.terms.truth(false))),
            (Node::Not(inner), _) => match (self.terms.node(*inner), is_and) {
                (Node::Var(var, _), _) => return Some((*var, self.terms.truth(!is_and))),
                (_, false) => *inner,
                (_, true) => return None,
            },
            (_, true) => item,
            (_, false) => return None,
        };
        match *self.terms.node(item) {
            Node::Eq(a, b) => match (self.terms.node(a), self.terms.constant(b)) {
                (Node::Var(var, _), Some(_)) => Some((*var, b)),
                _ => None,
            },
            _ => None,
        }
    }

    /// That variables have the values they start with.
    pub fn start_of(&mut self, variables: &[VarId]) -> Vec<TermId> {
        let graph = self.graph;
        let mut all = vec![];
        for var in variables {
            let variable = &graph.variables[var.0 as usize];
            if let Some(initial) = variable.initial {
                let term = self.terms.var(*var, variable.sort);
                let value = self.constant(variable.sort, initial);
                all.push(self.terms.eq(term, value));
            }
        }
        all
    }
}

/// A constant of a sort.
pub(crate) fn constant(terms: &mut Terms, sort: Sort, value: u128) -> TermId {
    match sort {
        Sort::Bool => terms.truth(value != 0),
        Sort::Bits(bits) => terms.bits(bits, value),
        Sort::Int => terms.int(value as i128),
    }
}
