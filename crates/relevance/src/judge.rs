//! Which statements are relevant.

use crate::blocked::{arrives, blocked, stopped};
use crate::follow::{Event, Follower, Input, Otherwise};
use crate::path::{At, Execution, Path, Statement};
use rustc_hash::FxHashMap;
use std::collections::HashSet;
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_formula::{CompareOp, Sort, TermId, Terms, VarId};
use wherefore_parallel::parallel;
use wherefore_solver::{Answer, Backend, Cores, Limits};

/// How often a value is proposed and answered before nobody knows.
const ROUNDS: usize = 200;

/// What one question may take, and the conflicts of those about floating point.
const QUESTION: Duration = Duration::from_secs(1);
const FLOATS: u64 = 10_000;

/// Values of one kind that are given, at most.
const VALUES: usize = 6;

/// Constants of a formula that are tried before a solver is asked.
const CONSTANTS: usize = 16;

/// Bits of numbers that are small.
const SMALL: [u32; 3] = [5, 8, 16];

/// How often somebody looks at the clock.
const LOOK: usize = 1 << 10;

/// How to judge.
#[derive(Clone)]
pub struct Settings {
    /// What decides.
    pub backend: Backend,
    /// What it may take.
    pub budget: Budget,
    /// Threads.
    pub jobs: usize,
    /// Ask whether a proof that the error follows blames the statement, rather than the definition.
    pub by_core: bool,
}

/// A statement and what was found about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// Its position.
    pub at: usize,
    /// What was found.
    pub verdict: Verdict,
}

/// Whether a statement is relevant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is.
    Relevant(Witness),
    /// It is not: whatever value it gives, the end can be reached.
    Not,
    /// Other values, such as these, only lead where the path says nothing about the program.
    Unclear(Vec<u128>),
    /// There was no time to find out, or no way.
    Unknown,
}

/// Why a statement is relevant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// Values that stop the error, a few; where there are such, with the first ones the rest of the path is executed up to
    /// its last condition, which does not hold.
    pub values: Vec<u128>,
    /// In which execution; `None` is the known one.
    pub execution: Option<Execution>,
}

/// Judges assigning statements of a path, whose execution is known, in the order of the path. The last are judged first.
pub fn judge(path: &Path, known: &Execution, statements: &[usize], settings: &Settings) -> Vec<Judged> {
    let mut order = statements.to_vec();
    order.sort_unstable_by_key(|at| std::cmp::Reverse(*at));
    // What the variable of each statement was before it.
    let mut now = known.initial.clone();
    let mut before = vec![0; path.statements.len()];
    for (at, statement) in path.statements.iter().enumerate() {
        if let Some(to) = statement.assigned() {
            before[at] = std::mem::replace(&mut now[to.0 as usize], known.assigned[at]);
        }
    }
    let share = order.len().div_ceil(settings.jobs.max(1)).max(1);
    let shares: Vec<&[usize]> = order.chunks(share).collect();
    let judged = parallel(&shares, settings.jobs.max(1), |_, share| {
        let mut judge = Judge {
            path,
            terms: path.terms.clone(),
            known,
            settings,
            now: now.clone(),
            before: &before,
            at: path.statements.len(),
        };
        share.iter().map(|at| Judged { at: *at, verdict: judge.statement(*at) }).collect::<Vec<_>>()
    });
    let mut judged: Vec<Judged> = judged.into_iter().flatten().collect();
    judged.sort_unstable_by_key(|judged| judged.at);
    judged
}

struct Judge<'a> {
    path: &'a Path,
    terms: Terms,
    known: &'a Execution,
    settings: &'a Settings,
    /// The values of the known execution before the statement at `at`.
    now: Vec<u128>,
    before: &'a [u128],
    at: usize,
}

impl Judge<'_> {
    fn statement(&mut self, at: usize) -> Verdict {
        while self.at > at {
            self.at -= 1;
            if let Some(to) = self.path.statements[self.at].assigned() {
                self.now[to.0 as usize] = self.before[self.at];
            }
        }
        let Some(to) = self.path.statements[at].assigned() else { return Verdict::Not };
        if self.settings.budget.stopped().is_some() {
            return Verdict::Unknown;
        }
        let known = if self.settings.by_core { self.by_core(at, to) } else { self.after_known(at, to) };
        let is_open = |statement: &Statement| matches!(statement, Statement::Havoc { .. });
        let has_others = self.path.variables.iter().any(|variable| variable.initial.is_none())
            || self.path.statements[..at].iter().any(is_open);
        match known {
            // Another execution of the path may come to it in another state.
            Verdict::Not | Verdict::Unclear(_) if has_others && !self.settings.by_core => {
                match self.after_any(at, to) {
                    Verdict::Not => known,
                    Verdict::Unclear(_) if matches!(known, Verdict::Unclear(_)) => known,
                    other => other,
                }
            }
            known => known,
        }
    }

    /// The rest of the path after the statement gives any value in the known execution: what comes up, and what is chosen.
    fn rest(&mut self, at: usize, to: VarId, open: bool) -> Option<Rest> {
        let now = std::mem::take(&mut self.now);
        let mut follower = Follower::from_known(self.path, &mut self.terms, self.known, now);
        follower.free(to, at);
        let value = follower.inputs[0];
        let mut stopped = false;
        for next in at + 1..self.path.statements.len() {
            let came = follower.events.len();
            follower.step(next, open);
            let assigns = self.path.statements[next].assigned().is_some();
            if assigns && follower.events.len() == came && follower.events.is_empty() && !follower.depends_on(value.var)
            {
                break;
            }
            stopped |= next % LOOK == 0 && self.settings.budget.stopped().is_some();
            if stopped {
                break;
            }
        }
        let (events, inputs) = (std::mem::take(&mut follower.events), follower.inputs.split_off(1));
        self.now = follower.back();
        (!stopped).then_some(Rest { value, events, later: inputs })
    }

    fn after_known(&mut self, at: usize, to: VarId) -> Verdict {
        let Some(rest) = self.rest(at, to, true) else { return Verdict::Unknown };
        let Rest { value, events, later } = &rest;
        if !events.iter().any(|event| self.terms.mentions(event.holds, value.var)) {
            return Verdict::Not;
        }
        let blocks = blocked(&mut self.terms, events, value.var);
        let found = match later.is_empty() {
            true => self.values((at, to), &rest, blocks),
            false => match self.simple_for_all(at, to, &rest, blocks) {
                Some(simple) => Some(vec![simple]),
                None => {
                    let anything = self.terms.truth(true);
                    let found = self.exists_forall(anything, blocks, &[*value], later);
                    found.map(|found| found.map(|values| vec![values[0]]).unwrap_or_default())
                }
            },
        };
        match found {
            None => Verdict::Unknown,
            Some(values) if !values.is_empty() => Verdict::Relevant(Witness { values, execution: None }),
            Some(_) => self.otherwise(at, to, &rest),
        }
    }

    /// What no value blocks: not relevant, unless something that was taken for granted may be given up.
    fn otherwise(&mut self, at: usize, to: VarId, rest: &Rest) -> Verdict {
        let leaves = stopped(&mut self.terms, &rest.events, Otherwise::Elsewhere);
        if self.terms.truth_value(leaves) == Some(false) || self.is_impossible(leaves) {
            return Verdict::Not;
        }
        let simple = self.simple(at, to, &rest.value, leaves);
        let is_it = |var: VarId, value: u128| (var == rest.value.var).then_some(value);
        let leads = |value: &u128| {
            self.terms.evaluate(leaves, &mut |var| is_it(var, *value)).is_some_and(|truth| truth.raw() == 1)
        };
        let mut values: Vec<u128> = simple.into_iter().filter(leads).take(VALUES).collect();
        if values.is_empty() && rest.later.is_empty() {
            values.extend(self.model(leaves, &rest.value).unwrap_or_default());
        }
        Verdict::Unclear(values)
    }

    fn is_impossible(&self, formula: TermId) -> bool {
        let mut solver = self.solver();
        solver.assert(&self.terms, formula);
        solver.check(&self.terms, &[]) == Answer::Unsat
    }

    /// A solver whose questions do not take all the time.
    fn solver(&self) -> Box<dyn Cores> {
        let mut solver = self.settings.backend.within(&self.settings.budget);
        solver.set_limits(Limits::time(QUESTION).floats(FLOATS));
        solver
    }

    /// Values with which the rest is blocked where nothing is chosen later; none if there are none.
    fn values(&mut self, (at, to): (usize, VarId), rest: &Rest, blocks: TermId) -> Option<Vec<u128>> {
        let Rest { value, events, .. } = rest;
        // Best is what changes nothing but the error itself.
        let last =
            events.last().filter(|e| e.otherwise == Otherwise::Blocked && e.at + 1 == self.path.statements.len());
        let only_last = last.map(|last| {
            let before = arrives(&mut self.terms, &events[..events.len() - 1]);
            let fails = self.terms.not(last.holds);
            self.terms.and2(before, fails)
        });
        let simple = self.simple(at, to, value, blocks);
        let mut found: Vec<u128> = vec![];
        let mut decided = false;
        for wanted in only_last.into_iter().chain([blocks]) {
            let holds = |value: &u128| self.terms.evaluate(wanted, &mut |_| Some(*value)).is_some_and(|v| v.raw() == 1);
            let good: Vec<u128> = simple.iter().copied().filter(holds).take(VALUES).collect();
            let good = match good.is_empty() {
                false => Ok(good),
                true => self.model(wanted, value).map(|model| model.into_iter().collect()),
            };
            decided |= wanted == blocks && good.is_ok();
            found.extend(good.unwrap_or_default());
        }
        let mut seen = HashSet::new();
        found.retain(|value| seen.insert(*value));
        (decided || !found.is_empty()).then_some(found)
    }

    /// A value that a person would think of with which the rest is blocked, whatever is chosen later.
    fn simple_for_all(&mut self, at: usize, to: VarId, rest: &Rest, blocks: TermId) -> Option<u128> {
        let simple = self.simple(at, to, &rest.value, blocks);
        simple.into_iter().take(VALUES).find(|value| {
            let holds = put_in(&mut self.terms, blocks, &[rest.value], &[*value]);
            let refuted = self.terms.not(holds);
            match self.terms.truth_value(refuted) {
                Some(truth) => !truth,
                None => self.is_impossible(refuted),
            }
        })
    }

    /// Values that are tried before a solver is asked: those a person would think of, near what it was, and near constants
    /// of the formula, where it changes.
    fn simple(&self, at: usize, to: VarId, value: &Input, formula: TermId) -> Vec<u128> {
        let variable = &self.path.variables[to.0 as usize];
        let mask = match value.sort {
            Sort::Bool => 1,
            Sort::Bits(bits) => u128::MAX >> (128 - bits),
            Sort::Int => u128::MAX,
        };
        let mut simple = variable.simple.clone();
        if simple.is_empty() {
            let was = self.known.assigned[at];
            simple.extend([0, 1, was.wrapping_add(1), was.wrapping_sub(1), 2, 3, 5, 10, 100, mask]);
            let parts = self.terms.reachable(&[formula]);
            let constant = |part| self.terms.constant(part).or(self.terms.integer(part).map(|value| value as u128));
            for constant in parts.into_iter().filter_map(constant).take(CONSTANTS) {
                simple.extend([constant, constant.wrapping_add(1), constant.wrapping_sub(1)]);
            }
        }
        let mut seen = HashSet::new();
        simple.into_iter().map(|value| value & mask).filter(|value| seen.insert(*value)).collect()
    }

    /// A value with which a formula about it alone holds, a small one where that is possible.
    fn model(&mut self, formula: TermId, value: &Input) -> Result<Option<u128>, ()> {
        if let Some(truth) = self.terms.truth_value(formula) {
            return Ok(truth.then_some(0));
        }
        let mut solver = self.solver();
        solver.assert(&self.terms, formula);
        match solver.check(&self.terms, &[]) {
            Answer::Sat => {}
            Answer::Unsat => return Ok(None),
            Answer::Unknown(_) => return Err(()),
        }
        let any = solver.value(&self.terms, value.var, value.sort).unwrap_or(0);
        // A person can follow small numbers.
        for bits in SMALL {
            let Some(small) = self.is_small(value, bits) else { continue };
            if solver.check(&self.terms, &[small]) == Answer::Sat {
                return Ok(Some(solver.value(&self.terms, value.var, value.sort).unwrap_or(0)));
            }
        }
        Ok(Some(any))
    }

    /// That a number fits into so many bits, if it has more.
    fn is_small(&mut self, value: &Input, bits: u32) -> Option<TermId> {
        let number = self.terms.var(value.var, value.sort);
        match value.sort {
            Sort::Bits(all) if all > bits => {
                let low = self.terms.extract(number, 0, bits);
                let extended = self.terms.sign_extend(low, all);
                Some(self.terms.eq(number, extended))
            }
            Sort::Int => {
                let (least, most) = (self.terms.int(-(1 << (bits - 1))), self.terms.int((1 << (bits - 1)) - 1));
                let above = self.terms.compare(CompareOp::Sle, least, number);
                let below = self.terms.compare(CompareOp::Sle, number, most);
                Some(self.terms.and2(above, below))
            }
            Sort::Bits(_) | Sort::Bool => None,
        }
    }

    /// Whether a proof that the known execution arrives blames what the statement gives.
    fn by_core(&mut self, at: usize, to: VarId) -> Verdict {
        let Some(rest) = self.rest(at, to, false) else { return Verdict::Unknown };
        let blocks = stopped(&mut self.terms, &rest.events, Otherwise::Blocked);
        let mut solver = self.solver();
        solver.assert(&self.terms, blocks);
        let own = equal(&mut self.terms, &rest.value, self.known.assigned[at]);
        match solver.check(&self.terms, &[own]) {
            Answer::Unsat if solver.core().is_empty() => self.otherwise(at, to, &rest),
            Answer::Unsat => match self.values((at, to), &rest, blocks) {
                None => Verdict::Unknown,
                Some(values) => Verdict::Relevant(Witness { values, execution: None }),
            },
            Answer::Sat | Answer::Unknown(_) => Verdict::Unknown,
        }
    }

    /// The same from all states in which executions of the path come to the statement.
    fn after_any(&mut self, at: usize, to: VarId) -> Verdict {
        let length = self.path.statements.len();
        let mut terms = std::mem::take(&mut self.terms);
        let mut follower = Follower::from_anywhere(self.path, &mut terms);
        (0..at).for_each(|before| follower.step(before, true));
        let here = follower.place();
        (at..length).for_each(|next| follower.step(next, true));
        let (own, chosen) = follower.return_to(here);
        let (prefix, earlier) = (follower.events.clone(), follower.inputs.clone());
        let here = follower.place();
        follower.free(to, at);
        (at + 1..length).for_each(|next| follower.step(next, true));
        let (events, mut later) = follower.return_to(here);
        let value = later.remove(0);
        // Another execution may assign to something else, of which the path knows nothing.
        let grants = |statement: &Statement| matches!(statement, Statement::Grant(_) | Statement::Define(_));
        let first = (0..at).rev().take_while(|before| grants(&self.path.statements[*before])).last().unwrap_or(at);
        let elsewhere = prefix.iter().any(|event| {
            let chosen = earlier.iter().any(|input| terms.mentions(event.holds, input.var));
            event.at >= first && event.otherwise == Otherwise::Elsewhere && chosen
        });
        let executed = arrives(&mut terms, &[prefix, own].concat());
        let blocks = blocked(&mut terms, &events, value.var);
        self.terms = terms;
        if self.settings.budget.stopped().is_some() {
            return Verdict::Unknown;
        }
        let outer: Vec<Input> = [value].into_iter().chain(earlier).chain(chosen).collect();
        match self.exists_forall(executed, blocks, &outer, &later) {
            None => Verdict::Unknown,
            Some(None) => match self.otherwise(at, to, &Rest { value, events, later }) {
                Verdict::Not if elsewhere => Verdict::Unclear(vec![]),
                verdict => verdict,
            },
            Some(Some(values)) => {
                let mut chosen = |at: At| outer[1..].iter().position(|input| input.at == at).map(|n| values[n + 1]);
                let execution = self.path.replayed(&self.terms, &mut chosen);
                Verdict::Relevant(Witness { values: vec![values[0]], execution: Some(execution) })
            }
        }
    }

    /// Values of some inputs with which one formula holds, and another whatever is chosen later; `Some(None)` if there are
    /// none, `None` where nobody knows.
    fn exists_forall(
        &mut self,
        context: TermId,
        always: TermId,
        outer: &[Input],
        later: &[Input],
    ) -> Option<Option<Vec<u128>>> {
        let mut proposes = self.solver();
        proposes.assert(&self.terms, context);
        for _ in 0..ROUNDS {
            match proposes.check(&self.terms, &[]) {
                Answer::Unsat => return Some(None),
                Answer::Unknown(_) => return None,
                Answer::Sat => {}
            }
            let value = |input: &Input| proposes.value(&self.terms, input.var, input.sort).unwrap_or(0);
            let proposed: Vec<u128> = outer.iter().map(value).collect();
            let holds = put_in(&mut self.terms, always, outer, &proposed);
            let refuted = self.terms.not(holds);
            let mut answers = self.solver();
            answers.assert(&self.terms, refuted);
            match answers.check(&self.terms, &[]) {
                Answer::Unsat => return Some(Some(proposed)),
                Answer::Unknown(_) => return None,
                Answer::Sat => {}
            }
            let value = |input: &Input| answers.value(&self.terms, input.var, input.sort).unwrap_or(0);
            let answered: Vec<u128> = later.iter().map(value).collect();
            let lesson = put_in(&mut self.terms, always, later, &answered);
            proposes.assert(&self.terms, lesson);
        }
        None
    }
}

/// What comes after a statement.
struct Rest {
    /// What it gives.
    value: Input,
    events: Vec<Event>,
    /// What is chosen later.
    later: Vec<Input>,
}

fn equal(terms: &mut Terms, input: &Input, value: u128) -> TermId {
    let variable = terms.var(input.var, input.sort);
    let value = constant(terms, input.sort, value);
    terms.eq(variable, value)
}

/// A value as a term.
pub(crate) fn constant(terms: &mut Terms, sort: Sort, value: u128) -> TermId {
    match sort {
        Sort::Bool => terms.truth(value != 0),
        Sort::Bits(bits) => terms.bits(bits, value),
        Sort::Int => terms.int(value as i128),
    }
}

/// A formula with values put in for inputs.
fn put_in(terms: &mut Terms, formula: TermId, inputs: &[Input], values: &[u128]) -> TermId {
    let map: FxHashMap<VarId, TermId> =
        inputs.iter().zip(values).map(|(input, value)| (input.var, constant(terms, input.sort, *value))).collect();
    terms.substitute(formula, &map)
}
