//! The figures of *Static fault localization for simple bugs* as graphs.

use wherefore_automata::{End, Graph, LetterId, LocationId, Next, Settings, Statement, Variable, explore};
use wherefore_budget::Budget;
use wherefore_formula::{BinaryOp, Sort, TermId, VarId};
use wherefore_solver::Backend;

/// A graph whose letters have names.
#[derive(Default)]
struct Drawn {
    graph: Graph,
    names: Vec<&'static str>,
}

impl Drawn {
    fn variable(&mut self, bits: u32) -> VarId {
        self.graph.variables.push(Variable { sort: Sort::Bits(bits), initial: None, simple: vec![] });
        VarId(self.graph.variables.len() as u32 - 1)
    }

    fn term(&mut self, var: VarId) -> TermId {
        self.graph.terms.var(var, self.graph.variables[var.0 as usize].sort)
    }

    fn step(&mut self, from: LocationId, name: &'static str, statement: Statement, to: LocationId) {
        let letter = self.graph.letter(statement);
        self.names.push(name);
        self.graph.edge(from, letter, to);
    }

    fn told(&self, word: &[LetterId]) -> String {
        word.iter().map(|letter| self.names[letter.index()]).collect::<Vec<_>>().join(" ")
    }
}

fn settings() -> Settings {
    Settings::new(Backend::Cadical, Budget::unlimited())
}

/// Figure 7: a loop that counts to 1000.
fn counter(most: u128) -> Drawn {
    let mut drawn = Drawn::default();
    let x = drawn.variable(32);
    let term = drawn.term(x);
    let terms = &mut drawn.graph.terms;
    let (zero, one, limit) = (terms.bits(32, 0), terms.bits(32, 1), terms.bits(32, most));
    let (more, less) = (terms.binary(BinaryOp::Add, term, one), terms.slt(term, limit));
    let (not_less, equal) = (terms.not(less), terms.eq(term, limit));
    let other = terms.not(equal);
    let at: Vec<LocationId> = (0..6).map(|_| drawn.graph.location()).collect();
    drawn.step(at[0], "x:=0", Statement::Assign { to: x, value: zero }, at[1]);
    drawn.step(at[1], "x<1000", Statement::Assume(less), at[2]);
    drawn.step(at[2], "x++", Statement::Assign { to: x, value: more }, at[1]);
    drawn.step(at[1], "x>=1000", Statement::Assume(not_less), at[3]);
    drawn.step(at[3], "x==1000", Statement::Assume(equal), at[4]);
    drawn.step(at[3], "x!=1000", Statement::Assume(other), at[5]);
    (drawn.graph.initial, drawn.graph.errors) = (vec![at[0]], vec![at[4]]);
    drawn
}

#[test]
fn figure_7_the_danger_automaton_of_a_counter() {
    let drawn = counter(1000);
    let outcome = explore(&drawn.graph, &settings(), &mut |_| Next::Others);
    assert_eq!(outcome.end, End::Empty);
    assert_eq!(outcome.traces.len(), 1, "all others are like it");
    assert_eq!(outcome.traces[0].word.len(), 2003);
    let danger = &outcome.dangers[0];
    assert!(danger.holds(&drawn.graph, Backend::Z3, &Budget::unlimited()));
    let mut edges: Vec<(u32, &str, u32)> = vec![];
    for (from, all) in danger.automaton.edges.iter().enumerate() {
        edges.extend(all.iter().map(|(letter, to)| (from as u32, drawn.names[letter.index()], *to)));
    }
    edges.sort_unstable();
    let expected = [(0, "x:=0", 1), (1, "x<1000", 2), (1, "x>=1000", 3), (2, "x++", 1), (3, "x==1000", 4)];
    assert_eq!(edges, expected);
    // What the automaton says of the head of the loop and of its body.
    for (state, last) in [(1, 1000), (2, 999)] {
        for value in [0, 1, 500, last, last + 1, u128::from(u32::MAX)] {
            let holds = danger.terms.evaluate(danger.predicates[state], &mut |_| Some(value));
            assert_eq!(holds.map(|holds| holds.raw() == 1), Some(value <= last), "{value} in state {state}");
        }
    }
}

#[test]
fn a_counter_never_misses_its_end() {
    let mut drawn = counter(1000);
    drawn.graph.errors = vec![LocationId(5)];
    let outcome = explore(&drawn.graph, &settings(), &mut |_| Next::Stop);
    assert_eq!(outcome.end, End::Empty);
    assert!(outcome.statistics.iterations < 10, "not every number of rounds is looked at: {:?}", outcome.statistics);
}

#[test]
fn figure_2_two_error_traces() {
    let mut drawn = Drawn::default();
    let (p1, p2, on_request, requested) =
        (drawn.variable(32), drawn.variable(32), drawn.variable(1), drawn.variable(1));
    let (a, b, flag, asked) = (drawn.term(p1), drawn.term(p2), drawn.term(on_request), drawn.term(requested));
    let terms = &mut drawn.graph.terms;
    let (null, no) = (terms.bits(32, 0), terms.bits(1, 0));
    let (first, second) = (terms.eq(a, null), terms.eq(b, null));
    let (fails, asked, flag) = (terms.or2(first, second), terms.bits_to_bool(asked), terms.bits_to_bool(flag));
    let (not_asked, not_flag) = (terms.not(asked), terms.not(flag));
    let at: Vec<LocationId> = (0..8).map(|_| drawn.graph.location()).collect();
    drawn.step(at[0], "p1:=0", Statement::Assign { to: p1, value: null }, at[1]);
    drawn.step(at[1], "p2:=0", Statement::Assign { to: p2, value: null }, at[2]);
    drawn.step(at[2], "stopOnRequest:=false", Statement::Assign { to: on_request, value: no }, at[3]);
    drawn.step(at[3], "havoc", Statement::Havoc { to: requested }, at[4]);
    drawn.step(at[4], "stopRequested", Statement::Assume(asked), at[5]);
    drawn.step(at[4], "!stopRequested", Statement::Assume(not_asked), at[6]);
    drawn.step(at[5], "!stopOnRequest", Statement::Assume(not_flag), at[6]);
    drawn.step(at[6], "fails", Statement::Assume(fails), at[7]);
    (drawn.graph.initial, drawn.graph.errors) = (vec![at[0]], vec![at[7]]);
    let outcome = explore(&drawn.graph, &settings(), &mut |_| Next::Others);
    let told: Vec<String> = outcome.traces.iter().map(|trace| drawn.told(&trace.word)).collect();
    let start = "p1:=0 p2:=0 stopOnRequest:=false havoc";
    let expected = [format!("{start} !stopRequested fails"), format!("{start} stopRequested !stopOnRequest fails")];
    assert_eq!(told, expected);
    assert_eq!(outcome.end, End::Empty);
}
