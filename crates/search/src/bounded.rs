//! Bounded model checking: the program with a limited number of rounds as one formula over its inputs. A solver says
//! whether, and with which inputs, it can fail; a run has to confirm that.

use crate::attempt::parameters;
use crate::exact::doubt;
use crate::form::Form;
use crate::pointed::{left_out, pointed};
use crate::subject::{Limits, Subject, scalars};
use std::collections::HashSet;
use wherefore_budget::Budget;
use wherefore_formula::{Sort, TermId, Terms};
use wherefore_program::{GlobalId, Origin};
use wherefore_solver::{Answer, Backend, Circuit, Cores, Reason};
use wherefore_unfold::{Fault, Image, Options, Source, TestInput, Unfolding, pointers, unfold};

/// What its circuit may take: a few seconds of work until the first answer.
const MAX_BYTES: u64 = 400 << 20;
/// How often the fast solver may try where floats are to be found. What is harder goes to the other one.
const FLOAT_CONFLICTS: u64 = 100_000;
/// Terms that a formula may have.
const MAX_TERMS: usize = 10_000_000;

/// The formula, and what is still asked about it.
pub(crate) struct Bounded {
    unfolding: Unfolding,
    solvers: Solvers,
    /// Ways to fail that nobody has seen yet.
    open: Vec<Way>,
    /// What is not searched.
    given: TestInput,
    /// Why it does not speak about all runs, if there is something beside the rounds of loops.
    pub doubt: Option<String>,
}

/// Who decides about the formula.
struct Solvers {
    bits: Box<dyn Cores>,
    /// The one for floats that are too hard for the fast one, once it is needed.
    reals: Option<Box<dyn Cores>>,
    facts: Vec<TermId>,
}

/// A way to fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    guard: TermId,
    /// Where.
    pub at: Option<Origin>,
    /// Whether the run need not show it.
    pub is_silent: bool,
}

/// Which runs a formula speaks about.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Cover {
    /// Not all: some inputs are taken as given, or something is not modelled exactly.
    Some,
    /// All that end within the rounds that were followed.
    Rounds,
    /// All.
    All,
}

/// What the formula says.
pub(crate) enum Foreseen {
    /// With this input the program fails in this way.
    Fails(TestInput, Way),
    /// Within the rounds that were followed it does not fail in any other way.
    Never,
    /// Nobody knows.
    Unknown(String),
}

impl Bounded {
    /// The formula of a program. Runs with some inputs were made; they say how far loops are followed.
    pub fn new(
        subject: &Subject,
        runs: &[TestInput],
        globals: &[Image],
        functions: &[u64],
        margin: u32,
        limits: &Limits,
    ) -> Result<Bounded, String> {
        let Some(given) = runs.first().cloned() else { return Err("there is no run to start from".into()) };
        let options = Options {
            entry: subject.entry,
            statements: Default::default(),
            globals: vec![],
            statement_count: 0,
            images: globals.iter().map(|g| g.content.clone()).collect(),
            pointers: pointers(globals, functions),
            unwind: limits.unwind,
            margin,
            max_terms: MAX_TERMS,
            budget: limits.budget.clone(),
        };
        let mut unfolding = unfold(subject.program, &options, runs).map_err(|e| e.to_string())?;
        if unfolding.reads_stdin() {
            return Err("what is read from standard input is not a part of the formula".into());
        }
        let is_open = is_open(subject);
        let fixed: Vec<_> = unfolding.inputs().filter(|(.., source)| !is_open(source)).collect();
        let fixed = fixed.into_iter().map(|(var, sort, source)| (var, sort, source.value(&given))).collect::<Vec<_>>();
        let mut bits = Backend::Cadical.within(&limits.budget);
        let mut facts = unfolding.hard.clone();
        for (var, sort, value) in fixed {
            bits.fix(&mut unfolding.terms, var, sort, value);
            if let Sort::Bits(width) = sort {
                let (var, value) = (unfolding.terms.var(var, sort), unfolding.terms.bits(width, value));
                facts.push(unfolding.terms.eq(var, value));
            }
        }
        facts.extend(truth_values(subject, &mut unfolding));
        let mut all = facts.clone();
        all.extend(unfolding.failures.iter().map(|f| f.guard).chain(unfolding.cut.iter().copied()));
        let most = limits.budget.room_left().map_or(MAX_BYTES, |left| left.min(MAX_BYTES));
        if Circuit::default().bytes(&unfolding.terms, &all) > most {
            return Err("the formula of the program is too large".into());
        }
        for fact in &facts {
            bits.assert(&unfolding.terms, *fact);
        }
        let mut open: Vec<Way> = unfolding
            .failures
            .iter()
            .map(|f| Way { guard: f.guard, at: f.at, is_silent: f.fault == Fault::Memory })
            .collect();
        open.extend(subject.expected.status.into_iter().flat_map(|status| wrong_ends(&mut unfolding, status)));
        let has_pointers = !subject.program.is_main(&subject.program.functions[subject.entry.index()])
            && (!left_out(subject).is_empty() || !pointed(subject).is_empty());
        let doubt = doubt(subject.program, subject.entry)
            .or_else(|| has_pointers.then(|| "what pointers can point to is searched only in part".into()))
            .or_else(|| unfolding.notes.first().map(|note| note.message.clone()))
            .or_else(|| (!unfolding.unknowns.is_empty()).then(|| "a value is used that nothing determines".into()))
            .or_else(|| holds_addresses(globals, functions).then(|| "addresses are used as numbers".into()));
        let solvers = Solvers { bits, reals: None, facts };
        Ok(Bounded { unfolding, solvers, open, given, doubt })
    }

    /// Failures that were seen need not be foreseen.
    pub fn forget(&mut self, places: &HashSet<Origin>) {
        self.open.retain(|way| way.at.is_none_or(|at| !places.contains(&at)));
    }

    /// An input that fails in a way nobody has seen.
    pub fn foresee(&mut self, subject: &Subject, budget: &Budget) -> Foreseen {
        let ways: Vec<TermId> = self.open.iter().map(|way| way.guard).collect();
        let fails = self.unfolding.terms.or(ways.clone());
        let solver = match self.solvers.ask(&self.unfolding.terms, fails, budget) {
            Ok(Some(solver)) => solver,
            Ok(None) => return Foreseen::Never,
            Err(why) => return Foreseen::Unknown(why),
        };
        let terms = &self.unfolding.terms;
        let mut model = |var| terms.variable_sort(var).and_then(|sort| solver.value(terms, var, sort)).unwrap_or(0);
        let taken = terms.evaluate_all(&ways, &mut |var| Some(model(var)));
        let Some(way) = taken.iter().position(|t| t.is_some_and(|t| t.raw() == 1)) else {
            return Foreseen::Unknown("the answer does not hold".into());
        };
        let input = self.unfolding.input_of(&self.given, &is_open(subject), &mut model);
        Foreseen::Fails(input, self.open.remove(way))
    }

    /// Which runs the formula speaks about.
    pub fn cover(&mut self, budget: &Budget) -> Cover {
        if self.doubt.is_some() {
            return Cover::Some;
        }
        let cut = self.unfolding.terms.or(self.unfolding.cut.clone());
        match self.solvers.ask(&self.unfolding.terms, cut, budget) {
            Ok(None) => Cover::All,
            Ok(Some(_)) | Err(_) => Cover::Rounds,
        }
    }
}

impl Solvers {
    /// A solver with a model of a fact; nothing if it cannot hold.
    fn ask(&mut self, terms: &Terms, fact: TermId, budget: &Budget) -> Result<Option<&dyn Cores>, String> {
        let limits = wherefore_solver::Limits { time: budget.left(), ..Default::default() }.floats(FLOAT_CONFLICTS);
        self.bits.set_limits(limits);
        let (mut answer, mut solver) = (self.bits.check(terms, &[fact]), &self.bits);
        if let Answer::Unknown(Reason::Unsupported(_)) = answer {
            let facts = &self.facts;
            let reals = self.reals.get_or_insert_with(|| {
                let mut reals = Backend::Z3.within(budget);
                facts.iter().for_each(|fact| reals.assert(terms, *fact));
                reals
            });
            reals.set_limits(limits);
            answer = reals.check(terms, &[fact]);
            solver = reals;
        }
        match answer {
            Answer::Sat => Ok(Some(&**solver)),
            Answer::Unsat => Ok(None),
            Answer::Unknown(reason) => Err(reason.to_string()),
        }
    }
}

/// Whether a value is searched.
fn is_open(subject: &Subject) -> impl Fn(&Source) -> bool + use<> {
    let pointers: HashSet<u32> = pointed(subject).into_iter().map(|p| p.parameter).collect();
    let numbers = parameters(subject).into_iter().map(|(index, _)| index);
    let parameters: HashSet<u32> = numbers.chain(pointers.iter().copied()).collect();
    let globals: HashSet<GlobalId> = subject.globals.iter().copied().collect();
    move |source| match source {
        Source::Parameter(n) => parameters.contains(n),
        Source::Object(n, ..) => pointers.contains(n),
        Source::Global(global, ..) => globals.contains(global),
        Source::ArgumentCount | Source::ArgumentByte(..) | Source::ArgumentNumber(..) => false,
    }
}

/// That a global which is a truth value is 0 or 1.
fn truth_values(subject: &Subject, unfolding: &mut Unfolding) -> Vec<TermId> {
    let mut facts = vec![];
    for pointer in pointed(subject) {
        for (at, _) in pointer.scalars.iter().filter(|(_, form)| *form == Form::Truth) {
            let here = |source: &Source| *source == Source::Object(pointer.parameter, *at, 1);
            let Some((var, sort, _)) = unfolding.inputs().find(|(.., source)| here(source)) else { continue };
            let (value, one) = (unfolding.terms.var(var, sort), unfolding.terms.bits(8, 1));
            facts.push(unfolding.terms.ule(value, one));
        }
    }
    for &id in &subject.globals {
        for (at, _) in scalars(subject.program, id).into_iter().filter(|(_, form)| *form == Form::Truth) {
            let here = |source: &Source| matches!(source, Source::Global(g, offset, 1) if (*g, *offset) == (id, at));
            let Some((var, sort, _)) = unfolding.inputs().find(|(.., source)| here(source)) else { continue };
            let (value, one) = (unfolding.terms.var(var, sort), unfolding.terms.bits(8, 1));
            facts.push(unfolding.terms.ule(value, one));
        }
    }
    facts
}

/// To end with another status: each way to end for itself.
fn wrong_ends(unfolding: &mut Unfolding, status: i32) -> Vec<Way> {
    let expected = unfolding.terms.bits(8, status as u128 & 0xff);
    let ends = unfolding.exits.clone();
    let wrong = ends.into_iter().map(|(guard, status)| {
        let low = unfolding.terms.extract(status, 0, 8);
        let other = unfolding.terms.ne(low, expected);
        Way { guard: unfolding.terms.and2(guard, other), at: None, is_silent: false }
    });
    wrong.collect()
}

/// Whether globals begin with addresses that are not known to be pointers: those of a library, or at odd places.
fn holds_addresses(globals: &[Image], functions: &[u64]) -> bool {
    let known: HashSet<(usize, usize)> =
        pointers(globals, functions).iter().map(|(global, at, _)| (global.index(), *at as usize)).collect();
    let own = globals.iter().map(|g| g.address).chain(functions.iter().copied()).filter(|a| *a != 0);
    let (first, last) = own.fold((u64::MAX, 0), |(first, last), a| (first.min(a), last.max(a)));
    // Behind the program's own come the heap, libraries and the stack.
    let is_address = |value: u64| (first & !0xfff..=last | 0xfff).contains(&value) || value >> 40 == 0x7f;
    globals.iter().enumerate().any(|(number, global)| {
        let content = global.content.as_deref().unwrap_or(&[]);
        content.windows(8).enumerate().any(|(at, bytes)| {
            let value = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
            is_address(value) && !known.contains(&(number, at))
        })
    })
}
