//! A path followed with some values open: what its conditions become.

use crate::judge::constant;
use crate::path::{At, Execution, Path, Statement};
use rustc_hash::FxHashMap;
use wherefore_formula::{Sort, TermId, Terms, VarId};

/// A condition that is not known to hold.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Event {
    /// The statement.
    pub at: usize,
    /// Over what is open.
    pub holds: TermId,
    /// What happens where it does not hold.
    pub otherwise: Otherwise,
}

/// What happens where a condition does not hold.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Otherwise {
    /// The execution is blocked.
    Blocked,
    /// It goes elsewhere than the path.
    Elsewhere,
    /// It means nothing.
    Undefined,
}

/// Something that may be any value.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Input {
    pub var: VarId,
    pub sort: Sort,
    pub at: At,
}

/// Follows a path, statement by statement.
pub(crate) struct Follower<'a> {
    path: &'a Path,
    pub terms: &'a mut Terms,
    /// An execution; what is not open is as in it. Without one everything is said by terms.
    known: Option<&'a Execution>,
    /// Its values.
    now: Vec<u128>,
    /// What they were before, to go back.
    before: Vec<(VarId, u128)>,
    /// Variables that may have another value, with what it is.
    open: FxHashMap<VarId, TermId>,
    /// What came up so far.
    pub events: Vec<Event>,
    /// What may be any value.
    pub inputs: Vec<Input>,
    next: u32,
    variables: FxHashMap<TermId, Box<[VarId]>>,
}

/// Where a follower is.
pub(crate) struct Place {
    open: FxHashMap<VarId, TermId>,
    events: usize,
    inputs: usize,
}

impl<'a> Follower<'a> {
    /// From all states that a path may start in.
    pub fn from_anywhere(path: &'a Path, terms: &'a mut Terms) -> Follower<'a> {
        let now = path.variables.iter().map(|variable| variable.initial.unwrap_or(0)).collect();
        let mut follower = Follower::new(path, terms, None, now);
        for (number, variable) in path.variables.iter().enumerate().filter(|(_, v)| v.initial.is_none()) {
            let var = VarId(number as u32);
            let any = follower.fresh(variable.sort, At::Start(var));
            follower.open.insert(var, any);
        }
        follower
    }

    /// From the state of a known execution before a statement.
    pub fn from_known(path: &'a Path, terms: &'a mut Terms, known: &'a Execution, now: Vec<u128>) -> Follower<'a> {
        Follower::new(path, terms, Some(known), now)
    }

    fn new(path: &'a Path, terms: &'a mut Terms, known: Option<&'a Execution>, now: Vec<u128>) -> Follower<'a> {
        let next = path.variables.len() as u32;
        let (before, events, inputs) = (vec![], vec![], vec![]);
        let (open, variables) = (FxHashMap::default(), FxHashMap::default());
        Follower { path, terms, known, now, before, open, events, inputs, next, variables }
    }

    /// The values of the known execution as they were at first.
    pub fn back(mut self) -> Vec<u128> {
        for (var, value) in self.before.into_iter().rev() {
            self.now[var.0 as usize] = value;
        }
        self.now
    }

    /// Where it is.
    pub fn place(&self) -> Place {
        Place { open: self.open.clone(), events: self.events.len(), inputs: self.inputs.len() }
    }

    /// Goes back to a place where it was, and gives what came up and was chosen since. Only without a known execution.
    pub fn return_to(&mut self, place: Place) -> (Vec<Event>, Vec<Input>) {
        self.open = place.open;
        (self.events.split_off(place.events), self.inputs.split_off(place.inputs))
    }

    /// A value that may be any.
    fn fresh(&mut self, sort: Sort, at: At) -> TermId {
        // Names are used again for each question, but a name has one sort.
        while self.terms.variable_sort(VarId(self.next)).is_some_and(|other| other != sort) {
            self.next += 1;
        }
        let var = VarId(self.next);
        self.next += 1;
        self.inputs.push(Input { var, sort, at });
        self.terms.var(var, sort)
    }

    /// Lets a statement give a variable any value.
    pub fn free(&mut self, to: VarId, at: usize) {
        let any = self.fresh(self.path.variables[to.0 as usize].sort, At::Statement(at));
        self.open.insert(to, any);
    }

    /// Whether something depends on a value that may be any.
    pub fn depends_on(&self, input: VarId) -> bool {
        let mut all = self.open.values().chain(self.events.iter().map(|event| &event.holds));
        all.any(|term| self.terms.mentions(*term, input))
    }

    fn set(&mut self, to: VarId, value: u128) {
        self.open.remove(&to);
        let now = &mut self.now[to.0 as usize];
        self.before.push((to, *now));
        *now = value;
    }

    /// Executes a statement; `open`: what is chosen may be any value.
    pub fn step(&mut self, at: usize, open: bool) {
        let known = self.known.map(|known| known.assigned[at]);
        match self.path.statements[at] {
            Statement::Assign { to, value } => {
                let value = self.over_open(value);
                match (value, known) {
                    (Some(value), _) if known.is_none() || self.constant(value) != known => {
                        self.open.insert(to, value);
                    }
                    (_, known) => self.set(to, known.unwrap_or(0)),
                }
            }
            Statement::Havoc { to } if open => self.free(to, at),
            Statement::Havoc { to } => self.set(to, known.unwrap_or(0)),
            Statement::Assume(holds) => self.meet(at, holds, Otherwise::Blocked),
            Statement::Grant(holds) => self.meet(at, holds, Otherwise::Elsewhere),
            Statement::Define(holds) => self.meet(at, holds, Otherwise::Undefined),
        }
    }

    /// Comes to a condition.
    fn meet(&mut self, at: usize, holds: TermId, otherwise: Otherwise) {
        if let Some(holds) = self.over_open(holds)
            && self.terms.truth_value(holds) != Some(true)
        {
            self.events.push(Event { at, holds, otherwise });
        }
    }

    fn constant(&self, t: TermId) -> Option<u128> {
        let number = self.terms.constant(t).or_else(|| self.terms.integer(t).map(|value| value as u128));
        number.or_else(|| self.terms.truth_value(t).map(u128::from))
    }

    /// A term over what is open; `None` where all of it is as in the known execution.
    fn over_open(&mut self, t: TermId) -> Option<TermId> {
        let terms = &*self.terms;
        let variables = self.variables.entry(t).or_insert_with(|| terms.variables(t).into_iter().collect());
        let (open, now) = (&self.open, &self.now);
        if self.known.is_some() && !variables.iter().any(|var| open.contains_key(var)) {
            return None;
        }
        let mut map: FxHashMap<VarId, TermId> = FxHashMap::default();
        for var in variables.iter() {
            let sort = self.path.variables[var.0 as usize].sort;
            let value = match open.get(var) {
                Some(open) => *open,
                None => constant(self.terms, sort, now[var.0 as usize]),
            };
            map.insert(*var, value);
        }
        Some(self.terms.substitute(t, &map))
    }
}
