//! Random small graphs over small domains, and what can be said about them by trying everything.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use wherefore_automata::{Graph, LetterId, LocationId, Statement, Variable};
use wherefore_formula::{BinaryOp, CompareOp, Sort, TermId, VarId};

pub const BITS: u32 = 2;
pub const VALUES: u128 = 1 << BITS;
pub const VARIABLES: usize = 3;

/// What a value or condition is made of: variables, then constants.
type Part = usize;

/// A statement before it is one of a graph.
#[derive(Clone, Debug)]
pub enum Sketch {
    Assign(usize, Part, u8, Part),
    Havoc(usize),
    Assume(Part, u8, Part),
}

fn part() -> impl Strategy<Value = Part> {
    0..VARIABLES + VALUES as usize
}

fn sketch() -> impl Strategy<Value = Sketch> {
    prop_oneof![
        5 => (0..VARIABLES, part(), 0..4u8, part()).prop_map(|(to, a, op, b)| Sketch::Assign(to, a, op, b)),
        1 => (0..VARIABLES).prop_map(Sketch::Havoc),
        5 => (0..VARIABLES, 0..4u8, part()).prop_map(|(a, op, b)| Sketch::Assume(a, op, b)),
    ]
}

/// A graph with so many locations, one way through all of them and more edges; without loops, edges only lead on.
pub fn graph(locations: u32, edges: usize, loops: bool) -> impl Strategy<Value = Graph> {
    let edge = (0..locations, 0..locations, sketch());
    let initial = prop::collection::vec(prop::option::weighted(0.8, 0..VALUES), VARIABLES);
    let way = prop::collection::vec(sketch(), locations as usize - 1);
    (way, prop::collection::vec(edge, 0..edges), initial).prop_map(move |(way, edges, initial)| {
        let way = (0..).zip(way).map(|(from, sketch)| (from, from + 1, sketch));
        let variable = |initial: &Option<u128>| Variable { sort: Sort::Bits(BITS), initial: *initial, simple: vec![] };
        let mut graph = Graph { variables: initial.iter().map(variable).collect(), ..Graph::default() };
        (0..locations).for_each(|_| {
            graph.location();
        });
        graph.initial = vec![LocationId(0)];
        graph.errors = vec![LocationId(locations - 1)];
        for (from, to, sketch) in way.chain(edges) {
            let (from, to) = if loops || from < to { (from, to) } else { (to, from) };
            if from == to && !loops {
                continue;
            }
            let statement = statement(&mut graph, &sketch);
            let letter = graph.letter(statement);
            graph.edge(LocationId(from), letter, LocationId(to));
        }
        graph
    })
}

fn statement(graph: &mut Graph, sketch: &Sketch) -> Statement {
    let term = |graph: &mut Graph, part: Part| match part.checked_sub(VARIABLES) {
        None => graph.terms.var(VarId(part as u32), Sort::Bits(BITS)),
        Some(value) => graph.terms.bits(BITS, value as u128),
    };
    match *sketch {
        Sketch::Assign(to, a, op, b) => {
            let (a, b) = (term(graph, a), term(graph, b));
            let op = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Xor, BinaryOp::Sub][usize::from(op)];
            Statement::Assign { to: VarId(to as u32), value: graph.terms.binary(op, a, b) }
        }
        Sketch::Havoc(to) => Statement::Havoc { to: VarId(to as u32) },
        Sketch::Assume(a, op, b) => {
            let (a, b) = (term(graph, a), term(graph, b));
            Statement::Assume(match op {
                0 => graph.terms.eq(a, b),
                1 => graph.terms.ne(a, b),
                2 => graph.terms.compare(CompareOp::Ult, a, b),
                _ => graph.terms.compare(CompareOp::Sle, a, b),
            })
        }
    }
}

/// A state.
pub type State = Vec<u128>;

/// All states in which executions start.
pub fn starts(graph: &Graph) -> BTreeSet<State> {
    let mut states: Vec<State> = vec![vec![]];
    for variable in &graph.variables {
        let values: Vec<u128> = variable.initial.map_or((0..VALUES).collect(), |value| vec![value]);
        states = states.iter().flat_map(|s| values.iter().map(move |v| [s.clone(), vec![*v]].concat())).collect();
    }
    states.into_iter().collect()
}

/// The states after a letter; none where it blocks.
pub fn successors(graph: &Graph, state: &State, letter: LetterId) -> Vec<State> {
    let with = |to: VarId, value: u128| {
        let mut state = state.clone();
        state[to.0 as usize] = value;
        state
    };
    let value = |term: TermId| graph.value(term, state).expect("all is known");
    match graph.letters[letter.index()] {
        Statement::Assign { to, value: term } => vec![with(to, value(term))],
        Statement::Havoc { to } => (0..VALUES).map(|value| with(to, value)).collect(),
        Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
            if value(holds) == 1 {
                vec![state.clone()]
            } else {
                vec![]
            }
        }
    }
}

/// Whether an error can be reached.
pub fn fails(graph: &Graph) -> bool {
    let mut seen: BTreeSet<(LocationId, State)> = BTreeSet::new();
    let mut work: Vec<(LocationId, State)> =
        graph.initial.iter().flat_map(|at| starts(graph).into_iter().map(|state| (*at, state))).collect();
    while let Some((at, state)) = work.pop() {
        if graph.errors.contains(&at) {
            return true;
        }
        if !seen.insert((at, state.clone())) {
            continue;
        }
        for edge in graph.edges.iter().filter(|edge| edge.from == at) {
            work.extend(successors(graph, &state, edge.letter).into_iter().map(|state| (edge.to, state)));
        }
    }
    false
}

/// All error traces up to a length that can be executed, of which there are not too many.
pub fn words(graph: &Graph, length: usize, most: usize) -> Option<BTreeSet<Vec<LetterId>>> {
    let mut found = BTreeSet::new();
    let mut now: BTreeMap<(LocationId, Vec<LetterId>), BTreeSet<State>> =
        graph.initial.iter().map(|at| ((*at, vec![]), starts(graph))).collect();
    for _ in 0..=length {
        let mut next: BTreeMap<(LocationId, Vec<LetterId>), BTreeSet<State>> = BTreeMap::new();
        for ((at, word), states) in now {
            if graph.errors.contains(&at) {
                found.insert(word);
                continue;
            }
            for edge in graph.edges.iter().filter(|edge| edge.from == at) {
                let after: BTreeSet<State> =
                    states.iter().flat_map(|state| successors(graph, state, edge.letter)).collect();
                if !after.is_empty() {
                    let word = [word.clone(), vec![edge.letter]].concat();
                    next.entry((edge.to, word)).or_default().extend(after);
                }
            }
        }
        if next.len() > most {
            return None;
        }
        now = next;
    }
    Some(found)
}
