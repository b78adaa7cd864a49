//! How many questions to a real solver an enumeration needs, on random straight-line programs with a planted fault:
//! `cargo run --release -p wherefore-diagnose --example programs`.

mod random;

use random::Random;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use wherefore_budget::Budget;
use wherefore_diagnose::{Enumeration, Limits, Oracle, Statement, Verdict, corrections, unified};
use wherefore_formula::{BinaryOp, Sort, TermId, Terms, VarId};
use wherefore_solver::{Answer, Backend, Cores};

const INPUTS: usize = 8;
const TESTS: usize = 5;
const OPERATORS: [BinaryOp; 6] =
    [BinaryOp::Add, BinaryOp::Sub, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor, BinaryOp::Add];

/// What a statement assigns to the next variable; variables are numbered from the inputs on.
#[derive(Copy, Clone)]
enum Right {
    Operation(BinaryOp, usize, usize),
    WithConstant(BinaryOp, usize, u32),
    LessOrEqual(usize, usize),
    /// The second where the first is not 0, else the third.
    Choice(usize, usize, usize),
}

impl Right {
    fn any(random: &mut Random, variables: usize) -> Right {
        // Recent variables are likelier, so that most statements matter.
        let mut variable =
            || variables - 1 - random.below(variables).min(random.below(variables)).min(random.below(40));
        let (a, b, c) = (variable(), variable(), variable());
        let operator = OPERATORS[random.below(OPERATORS.len())];
        match random.below(10) {
            0..4 => Right::Operation(operator, a, b),
            4..6 => Right::WithConstant(operator, a, random.below(16) as u32),
            6..8 => Right::LessOrEqual(a, b),
            _ => Right::Choice(a, b, c),
        }
    }

    fn term(self, terms: &mut Terms, variables: &[TermId]) -> TermId {
        match self {
            Right::Operation(operator, a, b) => terms.binary(operator, variables[a], variables[b]),
            Right::WithConstant(operator, a, constant) => {
                let constant = terms.bits(32, constant.into());
                terms.binary(operator, variables[a], constant)
            }
            Right::LessOrEqual(a, b) => {
                let truth = terms.sle(variables[a], variables[b]);
                terms.bool_to_bits(truth, 32)
            }
            Right::Choice(a, b, c) => {
                let zero = terms.bits(32, 0);
                let is_zero = terms.eq(variables[a], zero);
                terms.ite(is_zero, variables[c], variables[b])
            }
        }
    }
}

/// The last values that a program computes.
fn run(program: &[Right], input: &[u32]) -> Vec<u128> {
    let mut terms = Terms::new();
    let mut values: Vec<TermId> = input.iter().map(|&value| terms.bits(32, value.into())).collect();
    for right in program {
        let value = right.term(&mut terms, &values);
        values.push(value);
    }
    values[values.len() - 2..].iter().filter_map(|&value| terms.constant(value)).collect()
}

/// A failing input and the values expected last.
type Test = (Vec<u32>, Vec<u128>);

/// A program with faults in two statements, and tests that fail.
fn faulty(random: &mut Random, statements: usize) -> (Vec<Right>, Vec<Test>) {
    let right: Vec<Right> = (0..statements).map(|at| Right::any(random, INPUTS + at)).collect();
    loop {
        let mut faulty = right.clone();
        for _ in 0..2 {
            let at = random.below(statements);
            faulty[at] = Right::any(random, INPUTS + at);
        }
        let tests: Vec<Test> = (0..100)
            .map(|_| (0..INPUTS).map(|_| random.below(32) as u32).collect::<Vec<u32>>())
            .map(|input| (input.clone(), run(&right, &input)))
            .filter(|(input, expected)| run(&faulty, input) != *expected)
            .take(TESTS)
            .collect();
        if tests.len() == TESTS {
            return (faulty, tests);
        }
    }
}

/// One solver for each test, in which a statement holds if its selector does.
struct Programs {
    terms: Terms,
    selectors: Vec<TermId>,
    solvers: Vec<Box<dyn Cores>>,
    asked: usize,
    time: Duration,
}

impl Programs {
    fn new(program: &[Right], tests: &[Test]) -> Self {
        let mut terms = Terms::new();
        let count = program.len() as u32;
        let selectors: Vec<TermId> = (0..count).map(|s| terms.var(VarId(s), Sort::Bool)).collect();
        let mut solvers = Vec::new();
        for (input, expected) in tests {
            let mut solver = Backend::Cadical.solver();
            let mut values: Vec<TermId> = input.iter().map(|&value| terms.bits(32, value.into())).collect();
            for (at, right) in program.iter().enumerate() {
                let value = right.term(&mut terms, &values);
                let variable = terms.var(VarId(count + at as u32), Sort::Bits(32));
                let assigned = terms.eq(variable, value);
                let assigned = terms.implies(selectors[at], assigned);
                solver.assert(&terms, assigned);
                values.push(variable);
            }
            for (&value, &expected) in values[values.len() - 2..].iter().zip(expected) {
                let expected = terms.bits(32, expected);
                let passes = terms.eq(value, expected);
                solver.assert(&terms, passes);
            }
            solvers.push(solver);
        }
        Programs { terms, selectors, solvers, asked: 0, time: Duration::ZERO }
    }
}

impl Oracle for Programs {
    fn count(&self) -> usize {
        self.selectors.len()
    }

    fn tests(&self) -> usize {
        self.solvers.len()
    }

    fn check(&mut self, test: usize, free: &[Statement]) -> Verdict {
        let began = Instant::now();
        let is_kept = |s: &usize| free.binary_search(&(*s as Statement)).is_err();
        let kept: Vec<TermId> = (0..self.count()).filter(is_kept).map(|s| self.selectors[s]).collect();
        let verdict = match self.solvers[test].check(&self.terms, &kept) {
            Answer::Sat => Verdict::Repairs,
            Answer::Unsat => {
                let core: BTreeSet<TermId> = self.solvers[test].core().into_iter().collect();
                let is_named = |s: &usize| core.contains(&self.selectors[*s]);
                Verdict::Core((0..self.count()).filter(is_named).map(|s| s as Statement).collect())
            }
            Answer::Unknown(reason) => Verdict::Unknown(reason.to_string()),
        };
        self.asked += 1;
        self.time += began.elapsed();
        verdict
    }
}

fn main() {
    for (statements, max_size) in [(60, None), (100, Some(3)), (150, Some(2)), (150, Some(3)), (250, Some(2))] {
        for seed in 0..3 {
            let (program, tests) = faulty(&mut Random(seed * 1000 + statements as u64), statements);
            let mut oracle = Programs::new(&program, &tests);
            let budget = Budget::new(Some(Duration::from_secs(60)), None);
            let limits = Limits { max_size, budget, ..Limits::default() };

            let began = Instant::now();
            let known: Vec<Enumeration> = (0..TESTS).map(|test| corrections(&mut oracle, test, &limits)).collect();
            let time = began.elapsed();
            let asked = oracle.asked;
            println!("{statements} statements, {TESTS} tests, sets up to {max_size:?}");
            println!(
                "  corrections: {} sets, {} cores, {asked} questions, {:.2?} each, {time:.2?} in all, {:.2?} of search",
                known.iter().map(|known| known.sets.len()).sum::<usize>(),
                known.iter().map(|known| known.cores.len()).sum::<usize>(),
                oracle.time / asked as u32,
                time - oracle.time,
            );
            let all: Vec<usize> = (0..TESTS).collect();
            let began = Instant::now();
            let found = unified(&mut oracle, &all, &known, &limits);
            let (sets, time, asked) = (found.sets.len(), began.elapsed(), oracle.asked - asked);
            println!("  unified: {sets} sets, {asked} questions, {time:.2?}");
        }
    }
}
