//! Values for the inputs by which a run goes a way that nobody went.
//!
//! Only conditions that share inputs with the one to be changed, directly or through others, are asked about; all other
//! inputs keep the values they have. Of the values possible, simple ones are preferred: small numbers, letters, names of
//! an enumeration.

use crate::attempt::Attempt;
use crate::form::Form;
use crate::order;
use crate::simple::{DEGREES, shrink, simple};
use crate::space::Space;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_formula::{TermId, VarId};
use wherefore_program::Program;
use wherefore_solver::{Answer, Backend, Circuit, Cores, Limits, Reason};

/// The solver may try this often before a question counts as too hard.
const CONFLICTS: u64 = 300_000;
/// This often where floats are to be found. What is harder goes to the other solver.
const FLOAT_CONFLICTS: u64 = 30_000;
/// How long one question may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Questions that may be asked at the same time, by others.
const AT_A_TIME: u64 = 2;

/// How much larger a circuit becomes by what is learned about it.
const LEARNED: u64 = 4;

/// A question: inputs that satisfy all the conditions and the goal.
pub(crate) struct Question<'a> {
    /// What must hold; it does for `from`.
    pub prefix: &'a [TermId],
    /// What must hold and does not yet.
    pub goal: TermId,
    /// What should hold if it can.
    pub wish: Option<TermId>,
    /// Values that satisfy the prefix.
    pub from: &'a Attempt,
    /// How the inputs are read.
    pub forms: &'a BTreeMap<VarId, Form>,
}

/// The answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Solution {
    /// Values of the inputs that matter; all others may be 0.
    Values(BTreeMap<VarId, u128>),
    /// There are none.
    Impossible,
    /// The solver gave up.
    Unknown(String),
}

/// Asks solvers.
pub(crate) struct Solving<'p> {
    program: &'p Program,
    budget: Budget,
    /// The fast one; kept, so that what it learned about one path serves the next.
    bits: Box<dyn Cores>,
    /// What it was given so far.
    circuit: Circuit,
    /// The one for floats that are too hard for the fast one.
    reals: Option<Box<dyn Cores>>,
    variables: HashMap<TermId, Rc<BTreeSet<VarId>>>,
    /// How many questions were asked.
    pub asked: usize,
}

impl<'p> Solving<'p> {
    /// Nothing has been asked yet.
    pub fn new(program: &'p Program, budget: &Budget) -> Self {
        let bits = Backend::Cadical.within(budget);
        let (circuit, variables) = (Circuit::default(), HashMap::new());
        Solving { program, budget: budget.clone(), bits, circuit, reals: None, variables, asked: 0 }
    }

    fn variables(&mut self, space: &Space, term: TermId) -> Rc<BTreeSet<VarId>> {
        Rc::clone(self.variables.entry(term).or_insert_with(|| Rc::new(space.terms.variables(term))))
    }

    /// Answer a question.
    pub fn solve(&mut self, space: &mut Space, question: &Question) -> Solution {
        let (mut needed, variables) = self.related(space, question);
        if order::contradict(&space.terms, &needed, question.goal) {
            return Solution::Impossible;
        }
        needed.push(question.goal);
        let bytes = self.circuit.bytes(&space.terms, &needed);
        if self.budget.room_left().is_some_and(|left| bytes.saturating_mul(LEARNED) > left / AT_A_TIME) {
            return Solution::Unknown(Reason::Memory.to_string());
        }
        self.circuit.add(&space.terms, &needed);
        let solution = match self.ask(space, question, &needed, &variables) {
            Ok(Some(values)) => values,
            Ok(None) => return Solution::Impossible,
            Err(reason) => return Solution::Unknown(reason.to_string()),
        };
        // What no condition speaks of is 0 again.
        let mut values = BTreeMap::new();
        for &condition in question.prefix {
            for &variable in self.variables(space, condition).iter() {
                values.insert(variable, question.from.value(space, variable));
            }
        }
        values.extend(solution);
        let holds = |term: TermId| {
            let mut value = |v: VarId| Some(values.get(&v).copied().unwrap_or_else(|| question.from.value(space, v)));
            space.terms.evaluate(term, &mut value).and_then(|v| v.as_bool()) == Some(true)
        };
        if !question.prefix.iter().chain([&question.goal]).all(|term| holds(*term)) {
            return Solution::Unknown("the answer does not hold".into());
        }
        Solution::Values(values)
    }

    /// The conditions that share inputs with the goal, directly or through others, and all these inputs.
    fn related(&mut self, space: &Space, question: &Question) -> (Vec<TermId>, BTreeSet<VarId>) {
        let mut variables = (*self.variables(space, question.goal)).clone();
        let sets: Vec<Rc<BTreeSet<VarId>>> = question.prefix.iter().map(|c| self.variables(space, *c)).collect();
        let mut by_variable: HashMap<VarId, Vec<usize>> = HashMap::new();
        for (index, set) in sets.iter().enumerate() {
            for variable in set.iter() {
                by_variable.entry(*variable).or_default().push(index);
            }
        }
        let mut taken = vec![false; sets.len()];
        let mut work: Vec<VarId> = variables.iter().copied().collect();
        while let Some(variable) = work.pop() {
            for &index in by_variable.get(&variable).into_iter().flatten() {
                if !std::mem::replace(&mut taken[index], true) {
                    work.extend(sets[index].iter().filter(|v| variables.insert(**v)));
                }
            }
        }
        let related = question.prefix.iter().zip(taken).filter(|(_, taken)| *taken).map(|(c, _)| *c);
        let mut unique = BTreeSet::new();
        (related.filter(|c| unique.insert(*c)).collect(), variables)
    }

    /// Values for the variables that satisfy all of `needed`, as simple as possible; `None` when there are none.
    fn ask(
        &mut self,
        space: &mut Space,
        question: &Question,
        needed: &[TermId],
        variables: &BTreeSet<VarId>,
    ) -> Result<Option<BTreeMap<VarId, u128>>, Reason> {
        let mut wish = question.wish;
        let mut degree = 0;
        loop {
            let mut wanted: Vec<TermId> = wish.into_iter().collect();
            for variable in variables {
                if let Some(form) = question.forms.get(variable) {
                    wanted.extend(simple(space, self.program, *variable, *form, degree));
                }
            }
            let all: Vec<TermId> = needed.iter().chain(&wanted).copied().collect();
            match self.check(space, &all, variables)? {
                Checked::Values(found) => {
                    let mut values = BTreeMap::new();
                    for (variable, value) in found {
                        let width = question.forms.get(&variable).map_or(128, |f| f.bits());
                        let value = value.unwrap_or_else(|| question.from.value(space, variable));
                        values.insert(variable, value & (u128::MAX >> (128 - width)));
                    }
                    if degree >= 1 {
                        let all: Vec<TermId> = needed.iter().copied().chain(wish).collect();
                        shrink(space, question.from, question.forms, &all, &mut values);
                    }
                    return Ok(Some(values));
                }
                Checked::Core(core) => {
                    if !core.iter().any(|c| wanted.contains(c)) {
                        return Ok(None);
                    }
                    if degree + 1 < DEGREES && core.iter().any(|c| Some(*c) != wish && wanted.contains(c)) {
                        degree += 1;
                    } else {
                        (wish, degree) = (None, 0);
                    }
                }
            }
        }
    }

    fn check(&mut self, space: &Space, all: &[TermId], variables: &BTreeSet<VarId>) -> Result<Checked, Reason> {
        self.asked += 1;
        let left = self.budget.left().map_or(PATIENCE, |left| left.min(PATIENCE));
        let limits = Limits { conflicts: Some(CONFLICTS), ..Limits::time(left).floats(FLOAT_CONFLICTS) };
        self.bits.set_limits(limits);
        let (mut answer, mut solver) = (self.bits.check(&space.terms, all), &mut self.bits);
        if let Answer::Unknown(Reason::Unsupported(_)) = answer {
            solver = self.reals.get_or_insert_with(|| Backend::Z3.within(&self.budget));
            solver.set_limits(Limits { conflicts: None, ..limits });
            answer = solver.check(&space.terms, all);
        }
        match answer {
            Answer::Sat => {
                let value = |v: VarId| solver.value(&space.terms, v, space.terms.variable_sort(v)?);
                Ok(Checked::Values(variables.iter().map(|v| (*v, value(*v))).collect()))
            }
            Answer::Unsat => Ok(Checked::Core(solver.core())),
            Answer::Unknown(reason) => Err(reason),
        }
    }
}

/// The answer of a solver.
enum Checked {
    /// Values of variables; `None` where any will do.
    Values(Vec<(VarId, Option<u128>)>),
    /// What cannot hold together.
    Core(Vec<TermId>),
}
