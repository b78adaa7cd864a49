//! The answers against the definition, evaluated by brute force on small paths over small domains.

use proptest::prelude::*;
use std::collections::BTreeSet;
use wherefore_budget::Budget;
use wherefore_formula::{BinaryOp, CompareOp, Sort, TermId, VarId};
use wherefore_relevance::{Execution, Path, Settings, Statement, Variable, Verdict, judge};
use wherefore_solver::Backend;

const BITS: u32 = 2;
const VALUES: u128 = 1 << BITS;
const VARIABLES: usize = 3;

/// What a value or condition is made of: variables, then constants.
type Part = usize;

/// A statement before it is one of a path.
#[derive(Clone, Debug)]
enum Sketch {
    Assign(usize, Part, u8, Part),
    Havoc(usize),
    Assume(Part, u8, Part),
    Grant(Part, u8, Part),
    Define(Part, u8, Part),
}

fn part() -> impl Strategy<Value = Part> {
    0..VARIABLES + VALUES as usize
}

fn sketch(grants: bool) -> impl Strategy<Value = Sketch> {
    prop_oneof![
        4 => (0..VARIABLES, part(), 0..4u8, part()).prop_map(|(to, a, op, b)| Sketch::Assign(to, a, op, b)),
        2 => (0..VARIABLES).prop_map(Sketch::Havoc),
        3 => (part(), 0..4u8, part()).prop_map(|(a, op, b)| Sketch::Assume(a, op, b)),
        u32::from(grants) => (part(), 0..4u8, part()).prop_map(|(a, op, b)| Sketch::Grant(a, op, b)),
        u32::from(grants) => (part(), 0..4u8, part()).prop_map(|(a, op, b)| Sketch::Define(a, op, b)),
    ]
}

fn path(sketches: &[Sketch], initial: &[Option<u128>]) -> Path {
    let variable = |initial: &Option<u128>| Variable { sort: Sort::Bits(BITS), initial: *initial, simple: vec![] };
    let mut path = Path { variables: initial.iter().map(variable).collect(), ..Path::default() };
    let term = |path: &mut Path, part: Part| match part.checked_sub(VARIABLES) {
        None => path.terms.var(VarId(part as u32), Sort::Bits(BITS)),
        Some(value) => path.terms.bits(BITS, value as u128),
    };
    let condition = |path: &mut Path, a: Part, op: u8, b: Part| -> TermId {
        let (a, b) = (term(path, a), term(path, b));
        match op {
            0 => path.terms.eq(a, b),
            1 => path.terms.ne(a, b),
            2 => path.terms.compare(CompareOp::Ult, a, b),
            _ => path.terms.compare(CompareOp::Sle, a, b),
        }
    };
    for sketch in sketches {
        let statement = match sketch {
            Sketch::Assign(to, a, op, b) => {
                let (a, b) = (term(&mut path, *a), term(&mut path, *b));
                let op = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Xor, BinaryOp::Sub][usize::from(*op)];
                let value = path.terms.binary(op, a, b);
                Statement::Assign { to: VarId(*to as u32), value }
            }
            Sketch::Havoc(to) => Statement::Havoc { to: VarId(*to as u32) },
            Sketch::Assume(a, op, b) => Statement::Assume(condition(&mut path, *a, *op, *b)),
            Sketch::Grant(a, op, b) => Statement::Grant(condition(&mut path, *a, *op, *b)),
            Sketch::Define(a, op, b) => Statement::Define(condition(&mut path, *a, *op, *b)),
        };
        path.statements.push(statement);
    }
    path
}

/// A state.
type State = Vec<u128>;

#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum End {
    Arrives,
    Blocked,
    Elsewhere,
    Undefined,
}

fn holds(path: &Path, state: &State, condition: TermId) -> bool {
    value(path, state, condition) == 1
}

fn value(path: &Path, state: &State, term: TermId) -> u128 {
    path.terms.evaluate(term, &mut |var| state.get(var.0 as usize).copied()).expect("all is known").raw()
}

/// The states after a statement; none where it blocks.
fn successors(path: &Path, state: &State, at: usize) -> Vec<State> {
    let with = |to: VarId, value: u128| {
        let mut state = state.clone();
        state[to.0 as usize] = value;
        state
    };
    match path.statements[at] {
        Statement::Assign { to, value: term } => vec![with(to, value(path, state, term))],
        Statement::Havoc { to } => (0..VALUES).map(|value| with(to, value)).collect(),
        Statement::Assume(condition) | Statement::Grant(condition) | Statement::Define(condition) => {
            if holds(path, state, condition) { vec![state.clone()] } else { vec![] }
        }
    }
}

/// All ways in which executions from a state end.
fn ends(path: &Path, state: &State, at: usize) -> BTreeSet<End> {
    if at == path.statements.len() {
        return BTreeSet::from([End::Arrives]);
    }
    let next = successors(path, state, at);
    if next.is_empty() {
        return BTreeSet::from([match path.statements[at] {
            Statement::Grant(_) => End::Elsewhere,
            Statement::Define(_) => End::Undefined,
            _ => End::Blocked,
        }]);
    }
    next.iter().flat_map(|state| ends(path, state, at + 1)).collect()
}

/// The states before a statement in executions of the whole path.
fn states_before(path: &Path, at: usize) -> BTreeSet<State> {
    let mut states: Vec<State> = vec![vec![]];
    for variable in &path.variables {
        let values: Vec<u128> = variable.initial.map_or((0..VALUES).collect(), |value| vec![value]);
        states = states.iter().flat_map(|s| values.iter().map(move |v| [s.clone(), vec![*v]].concat())).collect();
    }
    for before in 0..at {
        states = states.iter().flat_map(|state| successors(path, state, before)).collect();
    }
    states.into_iter().filter(|state| ends(path, state, at).contains(&End::Arrives)).collect()
}

/// All ways in which executions end in which one of some values was given, which are different states. Where what is chosen
/// later gives something up whatever the value is, that is no execution of the path.
fn ends_with(path: &Path, states: &[State], value: usize, at: usize) -> BTreeSet<End> {
    let Some(statement) = path.statements.get(at) else { return BTreeSet::from([End::Arrives]) };
    let after = |chosen: u128| -> Vec<State> {
        let after = |state: &State| match statement {
            Statement::Havoc { to } => {
                let mut state = state.clone();
                state[to.0 as usize] = chosen;
                state
            }
            Statement::Assign { .. } => successors(path, state, at).remove(0),
            Statement::Assume(_) | Statement::Grant(_) | Statement::Define(_) => state.clone(),
        };
        states.iter().map(after).collect()
    };
    let fails = |state: &State| successors(path, state, at).is_empty();
    match statement {
        Statement::Havoc { .. } => {
            (0..VALUES).flat_map(|chosen| ends_with(path, &after(chosen), value, at + 1)).collect()
        }
        Statement::Grant(_) if fails(&states[value]) && !states.iter().all(fails) => BTreeSet::from([End::Elsewhere]),
        Statement::Define(_) if fails(&states[value]) => BTreeSet::from([End::Undefined]),
        _ if fails(&states[value]) => BTreeSet::from([End::Blocked]),
        _ => ends_with(path, &after(0), value, at + 1),
    }
}

/// What the definition says.
struct Said {
    relevant: bool,
    /// The same where nothing may be given up, whatever is chosen.
    surely: bool,
    /// Whether every value lets an execution arrive, or one that means nothing.
    arrives: bool,
}

fn by_definition(path: &Path, at: usize) -> Said {
    let to = path.statements[at].assigned().expect("it assigns");
    let (mut relevant, mut surely, mut arrives) = (false, false, true);
    for state in states_before(path, at) {
        let given = |value: u128| {
            let mut state = state.clone();
            state[to.0 as usize] = value;
            state
        };
        let states: Vec<State> = (0..VALUES).map(given).collect();
        for value in 0..states.len() {
            let ends = ends(path, &states[value], at + 1);
            surely |= ends == BTreeSet::from([End::Blocked]);
            relevant |= ends_with(path, &states, value, at + 1) == BTreeSet::from([End::Blocked]);
            arrives &= ends.contains(&End::Arrives) || ends.contains(&End::Undefined);
        }
    }
    Said { relevant, surely, arrives }
}

fn settings(backend: Backend, by_core: bool) -> Settings {
    Settings { backend, budget: Budget::unlimited(), jobs: 1, by_core }
}

/// Whether a witness is one.
fn is_witness(path: &Path, at: usize, execution: &Execution, value: u128) -> bool {
    let to = path.statements[at].assigned().expect("it assigns");
    let mut state = execution.initial.clone();
    for before in 0..at {
        match path.statements[before].assigned() {
            Some(to) => state[to.0 as usize] = execution.assigned[before],
            None => assert!(!successors(path, &state, before).is_empty(), "the execution is blocked"),
        }
    }
    assert!(ends(path, &state, at).contains(&End::Arrives), "the execution does not arrive");
    let given = |value: u128| {
        let mut state = state.clone();
        state[to.0 as usize] = value;
        state
    };
    let states: Vec<State> = (0..VALUES).map(given).collect();
    ends_with(path, &states, value as usize, at + 1) == BTreeSet::from([End::Blocked])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_the_definition(
        sketches in prop::collection::vec(sketch(true), 1..7),
        initial in prop::collection::vec(prop::option::of(0..VALUES), VARIABLES),
        backend in prop::sample::select(Backend::ALL.to_vec()),
    ) {
        let mut path = path(&sketches, &initial);
        let feasible = states_before(&path, 0);
        let execution = path.execution(backend, &Budget::unlimited());
        prop_assert_eq!(execution.is_some(), !feasible.is_empty(), "whether there is an execution");
        let Some(known) = execution else { return Ok(()) };
        let assigning: Vec<usize> =
            (0..path.statements.len()).filter(|at| path.statements[*at].assigned().is_some()).collect();
        let granted = path.statements.iter().any(|statement| matches!(statement, Statement::Grant(_)));
        for judged in judge(&path, &known, &assigning, &settings(backend, false)) {
            let said = by_definition(&path, judged.at);
            match &judged.verdict {
                Verdict::Relevant(witness) => {
                    prop_assert!(said.relevant, "{} is not relevant", judged.at);
                    let execution = witness.execution.as_ref().unwrap_or(&known);
                    for value in &witness.values {
                        prop_assert!(is_witness(&path, judged.at, execution, *value), "{judged:?}");
                    }
                }
                Verdict::Not => prop_assert!(!said.relevant && said.arrives, "{} is called irrelevant", judged.at),
                Verdict::Unclear(_) => prop_assert!(granted && !said.surely, "{} is called unclear", judged.at),
                Verdict::Unknown => prop_assert!(false, "there is time"),
            }
        }
    }

    #[test]
    fn proofs_blame_what_is_relevant_where_nothing_is_chosen(
        sketches in prop::collection::vec(sketch(false), 1..7),
        initial in prop::collection::vec(0..VALUES, VARIABLES),
    ) {
        let sketches: Vec<Sketch> = sketches.into_iter().filter(|s| !matches!(s, Sketch::Havoc(_))).collect();
        let mut path = path(&sketches, &initial.iter().map(|value| Some(*value)).collect::<Vec<_>>());
        let Some(known) = path.execution(Backend::Cadical, &Budget::unlimited()) else { return Ok(()) };
        let assigning: Vec<usize> =
            (0..path.statements.len()).filter(|at| path.statements[*at].assigned().is_some()).collect();
        for judged in judge(&path, &known, &assigning, &settings(Backend::Cadical, true)) {
            let is_relevant = matches!(judged.verdict, Verdict::Relevant(_));
            prop_assert_eq!(is_relevant, by_definition(&path, judged.at).relevant, "{:?}", judged);
        }
    }
}
