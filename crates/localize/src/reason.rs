//! Questions to the solver, remembered.

use crate::interval;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::Duration;
use wherefore_budget::Budget;
use wherefore_formula::{BinaryOp, FloatOp, Node, Sort, TermId, Terms, VarId};
use wherefore_solver::{Backend, Cores, Limits, Validity, counterexample, valid_with};

/// Implications put to the backend at a time.
const CHUNK: usize = 64;

/// What one question for a second opinion may cost, in conflicts. Where it costs more the opinion is none, whatever time
/// there is: nobody waits a minute to hear what was said once more.
const SECOND_CONFLICTS: u64 = 100_000;

/// What the second opinion may spend on one question about arithmetic that is hard for solvers.
const HARD_TIME: Duration = Duration::from_millis(500);
/// How many such questions may go without an answer before no more are asked.
const HARD_PATIENCE: usize = 2;

/// After so many questions without an answer patience does not get any shorter.
const LEAST_PATIENCE: u32 = 3;

/// With fewer conflicts than this nothing hard is found out, and to put the question costs more than to answer it.
const LEAST_CONFLICTS: u64 = 300;

/// Asks one backend, within limits, and remembers the answers.
pub struct Reasoner {
    solver: Box<dyn Cores>,
    /// Questions about such arithmetic that stayed open.
    open_hard: usize,
    /// Whether what bounds alone decide is not asked.
    quick: bool,
    conflicts: Option<u64>,
    /// Questions that were not answered: what was hard once is hard again, in a slightly other form.
    unanswered: u32,
    budget: Budget,
    known: HashMap<(Vec<TermId>, TermId), bool>,
    /// Why some question was not answered, the first time it happened.
    pub gave_up: Option<String>,
    /// Number of questions that reached the backend.
    pub asked: usize,
}

impl Reasoner {
    /// A reasoner that spends at most so many conflicts on a question and stops with the budget.
    pub fn new(backend: Backend, conflicts: Option<u64>, budget: &Budget) -> Self {
        Reasoner {
            solver: backend.within(budget),
            open_hard: 0,
            quick: true,
            conflicts,
            unanswered: 0,
            budget: budget.clone(),
            known: HashMap::new(),
            gave_up: None,
            asked: 0,
        }
    }

    /// A reasoner for a second opinion: it asks its backend and nothing else.
    pub fn independent(backend: Backend, budget: &Budget) -> Self {
        Reasoner { quick: false, ..Reasoner::new(backend, Some(SECOND_CONFLICTS), budget) }
    }

    /// Whether all of these implications hold. They are put to the backend many at a time; where that fails, one by
    /// one, and the first that does not hold is the answer.
    pub fn all_hold(&mut self, terms: &mut Terms, implications: &[(Vec<TermId>, TermId)]) -> Result<(), usize> {
        let mut claims = vec![];
        for (index, (premises, conclusion)) in implications.iter().enumerate() {
            let open = not_given(terms, premises, *conclusion);
            let plain: Vec<TermId> = premises.iter().copied().filter(|p| !is_hard(terms, *p)).collect();
            let is_plain = !is_hard(terms, open);
            if terms.truth_value(open) == Some(true) {
                continue;
            }
            if is_plain && plain.len() == premises.len() {
                // What the premises define is put in before many are asked together: a solver that is given them as
                // alternatives has to compute what a simple substitution knows.
                let near = connected(terms, premises, open);
                let against = counterexample(terms, &near, open);
                if terms.truth_value(against) != Some(false) {
                    claims.push((index, premises, open, against));
                }
                continue;
            }
            // Asked alone: one that is hard would take all that are asked with it.
            let without = is_plain && self.implies(terms, &plain, open);
            if !without && !self.implies(terms, premises, open) {
                return Err(index);
            }
        }
        for chunk in claims.chunks(CHUNK) {
            let against = terms.or(chunk.iter().map(|c| c.3));
            let claim = terms.not(against);
            if self.implies(terms, &[], claim) {
                continue;
            }
            self.gave_up = None;
            for (index, premises, conclusion, _) in chunk {
                if !self.implies(terms, premises, *conclusion) {
                    return Err(*index);
                }
            }
        }
        Ok(())
    }

    /// Whether the budget is over.
    pub fn expired(&self) -> bool {
        self.budget.stopped().is_some()
    }

    /// As [`Reasoner::implies`]; states near a known one are tried as counterexamples first.
    pub fn implies_near(
        &mut self,
        terms: &mut Terms,
        premises: &[TermId],
        conclusion: TermId,
        state: &[Option<u128>],
    ) -> bool {
        if terms.truth_value(conclusion) == Some(true) || premises.contains(&conclusion) {
            return true;
        }
        let fixed = fixed(terms, premises, state);
        if self.quick && terms.variables(conclusion).is_subset(&fixed) {
            return is_true(terms, conclusion, &mut |v| state[v.0 as usize]);
        }
        !refuted_near(terms, premises, conclusion, state, &fixed) && self.implies(terms, premises, conclusion)
    }

    /// Whether the premises imply the conclusion, as far as can be told: an unknown is a no.
    pub fn implies(&mut self, terms: &mut Terms, premises: &[TermId], conclusion: TermId) -> bool {
        if terms.truth_value(conclusion) == Some(true) || premises.contains(&conclusion) {
            return true;
        }
        let mut premises = connected(terms, premises, conclusion);
        premises.sort();
        premises.dedup();
        if self.quick && interval::implies(terms, &premises, conclusion) {
            return true;
        }
        let key = (premises, conclusion);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        if let Some(stop) = self.budget.stopped() {
            self.gave_up.get_or_insert_with(|| stop.to_string());
            return false;
        }
        let left = self.budget.left();
        let formulas: Vec<TermId> = key.0.iter().copied().chain([conclusion]).collect();
        let hard = match self.quick {
            true => terms.reachable(&formulas).iter().any(|t| is_wide(terms, *t)),
            false => formulas.iter().any(|t| is_hard(terms, *t)),
        };
        let patience = if self.quick || self.open_hard >= HARD_PATIENCE { Duration::ZERO } else { HARD_TIME };
        let time = if hard { Some(left.map_or(patience, |l| l.min(patience))) } else { left };
        let conflicts = self.patience(terms, &key.0, conclusion);
        if conflicts.is_some_and(|c| c < LEAST_CONFLICTS) {
            self.gave_up.get_or_insert_with(|| "questions like this were too hard before".into());
            return false;
        }
        // The first backend does not look into floating point.
        let float_conflicts = self.quick.then_some(0);
        let limits = Limits { time, conflicts, memory_mib: None, float_conflicts };
        self.asked += 1;
        let answer = match valid_with(self.solver.as_mut(), terms, &key.0, conclusion, limits) {
            Validity::Valid => true,
            Validity::Invalid => false,
            Validity::Unknown(reason) => {
                self.open_hard += usize::from(hard);
                self.unanswered += 1;
                self.gave_up.get_or_insert_with(|| reason.to_string());
                false
            }
        };
        self.known.insert(key, answer);
        answer
    }

    /// The conflicts a question may cost. One in a product or a quotient of two unknowns takes as long as many others,
    /// and with several of them many more are needed.
    fn patience(&self, terms: &Terms, premises: &[TermId], conclusion: TermId) -> Option<u64> {
        let roots: Vec<TermId> = premises.iter().copied().chain([conclusion]).collect();
        let shorter = 4u64.pow(self.unanswered.min(LEAST_PATIENCE));
        self.conflicts.map(|conflicts| conflicts / shorter / (1 + hardness(terms, &roots)).pow(2))
    }
}

/// How many words of products and quotients with two unknown operands formulas have.
pub(crate) fn hardness(terms: &Terms, roots: &[TermId]) -> u64 {
    let hard = |term: &TermId| match (terms.node(*term), terms.sort(*term)) {
        (Node::Binary(op, _, right), Sort::Bits(width)) if is_product(*op) => {
            (!matches!(terms.node(*right), Node::Const { .. })).then_some(u64::from(width))
        }
        _ => None,
    };
    terms.reachable(roots).iter().filter_map(hard).sum::<u64>() / 32
}

/// Whether an operation multiplies or divides.
fn is_product(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)
}

/// The conjuncts of a conclusion that are not among the premises.
fn not_given(terms: &mut Terms, premises: &[TermId], conclusion: TermId) -> TermId {
    let given: HashSet<TermId> = premises.iter().flat_map(|p| terms.conjuncts(*p)).collect();
    let open: Vec<TermId> = terms.conjuncts(conclusion).into_iter().filter(|c| !given.contains(c)).collect();
    terms.and(open)
}

/// Whether a term computes something that solvers take long for: floating point, comparisons apart, and wide products and
/// quotients. Where values are known, which is where a story has gone through it, no solver is needed.
fn is_hard(terms: &Terms, t: TermId) -> bool {
    terms.reachable(&[t]).iter().any(|part| match terms.node(*part) {
        Node::Float(op, _) => !matches!(op, FloatOp::Eq | FloatOp::Lt | FloatOp::Le | FloatOp::Unordered),
        _ => is_wide(terms, *part),
    })
}

/// Whether a term is a product or quotient of more bits than a machine has.
fn is_wide(terms: &Terms, t: TermId) -> bool {
    matches!(terms.node(t), Node::Binary(op, ..) if is_product(*op)) && terms.width(t) > 64
}

/// The variables that premises fix to their values in a state.
fn fixed(terms: &Terms, premises: &[TermId], state: &[Option<u128>]) -> BTreeSet<VarId> {
    let all = premises.iter().filter_map(|p| match *terms.node(*p) {
        Node::Eq(a, b) => [(a, b), (b, a)].into_iter().find_map(|(x, k)| match *terms.node(x) {
            Node::Var(v, _) => Some((v, terms.constant(k)?)),
            _ => None,
        }),
        _ => None,
    });
    all.filter(|(v, k)| state.get(v.0 as usize).copied().flatten() == Some(*k)).map(|(v, _)| v).collect()
}

fn is_true(terms: &Terms, formula: TermId, value: &mut dyn FnMut(VarId) -> Option<u128>) -> bool {
    terms.evaluate(formula, value).and_then(|t| t.as_bool()) == Some(true)
}

/// Whether changing one variable of a state satisfies the premises and not the conclusion; to change one that is fixed
/// does not.
fn refuted_near(
    terms: &Terms,
    premises: &[TermId],
    conclusion: TermId,
    state: &[Option<u128>],
    fixed: &BTreeSet<VarId>,
) -> bool {
    for v in terms.variables(conclusion).into_iter().filter(|v| !fixed.contains(v)) {
        let (Some(value), Some(Sort::Bits(width))) = (state[v.0 as usize], terms.variable_sort(v)) else { continue };
        let ones = u128::MAX >> (128 - width);
        let half = 1u128 << (width - 1);
        for other in [value.wrapping_add(1), value.wrapping_sub(1), 0, 1, ones, half, half - 1] {
            let other = other & ones;
            let changed = &mut |u: VarId| if u == v { Some(other) } else { state.get(u.0 as usize).copied().flatten() };
            // The conclusion first: it is false for few of the values.
            if terms.evaluate(conclusion, changed).and_then(|t| t.as_bool()) != Some(false) {
                continue;
            }
            let all = terms.evaluate_all(premises, changed);
            if all.iter().all(|t| t.and_then(|t| t.as_bool()) == Some(true)) {
                return true;
            }
        }
    }
    false
}

/// The premises that share variables with the conclusion, directly or through each other. Those without variables in
/// common cannot help (the recorded state satisfies all of them, so they are consistent).
fn connected(terms: &Terms, premises: &[TermId], conclusion: TermId) -> Vec<TermId> {
    let mut reached: BTreeSet<VarId> = terms.variables(conclusion);
    let mut open: Vec<(TermId, BTreeSet<VarId>)> = premises.iter().map(|p| (*p, terms.variables(*p))).collect();
    let mut taken = vec![];
    loop {
        let before = taken.len();
        open.retain(|(premise, variables)| {
            let touches = variables.iter().any(|v| reached.contains(v));
            if touches {
                reached.extend(variables);
                taken.push(*premise);
            }
            !touches
        });
        if taken.len() == before {
            return taken;
        }
    }
}

#[cfg(test)]
mod tests;
