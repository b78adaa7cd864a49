//! Graphs held against runs: small programs are run with every input they may have, and their graphs are executed, letter by
//! letter and without any solver, with the same inputs. Both fail, or none does.

#[path = "native/generator.rs"]
mod generator;

use generator::generate;
use wherefore_automata::{Statement, Variable};
use wherefore_case::Given;
use wherefore_fixtures::Fixture;
use wherefore_flow::{Flow, Kind, Options, Pointer};
use wherefore_formula::{Sort, VarId};
use wherefore_interpret::{Integers, Limits, Run, run};
use wherefore_record::{Ending, Recording};
use wherefore_unfold::Image;

/// Generated programs that are compared; others by `FIRST` and `MANY` in the environment.
const PROGRAMS: u64 = 150;

/// Letters of one execution.
const LETTERS: usize = 100_000;
/// What a variable begins with that nobody sets.
const UNSET: u128 = 0x5a5a_5a5a_5a5a_5a5a;

struct Subject {
    fixture: Fixture,
    start: Recording,
    flow: Flow,
}

impl Subject {
    /// A program and its graph; a native run says what its globals begin with.
    fn new(text: &str) -> Subject {
        let fixture = Fixture::new(text);
        let start = fixture.run(&[]).recording;
        let images: Vec<Image> = start
            .globals
            .iter()
            .map(|global| Image { address: global.address, size: global.size, content: global.content.clone() })
            .collect();
        let pointers = wherefore_unfold::pointers(&images, &start.functions).into_iter();
        let pointers = pointers.map(|(global, at, to)| match to {
            wherefore_unfold::Pointer::Global(to, offset) => (global, at, Pointer::Global(to, offset)),
            wherefore_unfold::Pointer::Function(function) => (global, at, Pointer::Function(function)),
        });
        let options = Options {
            pointers: pointers.collect(),
            images: images.into_iter().map(|image| image.content).collect(),
            ..Options::default()
        };
        let entry = fixture.program().function("main").expect("main");
        let flow = Flow::new(fixture.program(), entry, &options);
        Subject { fixture, start, flow }
    }

    /// Whether a run with these values fails.
    fn run_fails(&self, nondet: &[i64]) -> bool {
        let program = self.fixture.program();
        let given = Given { nondet: nondet.iter().map(|value| *value as u64).collect(), ..Given::default() };
        let ran = run(&Run {
            program,
            entry: program.function("main").expect("main"),
            given: &given,
            tables: Some(&self.start),
            forced: &[],
            integers: Integers::Wrap,
            limits: Limits { steps: 1_000_000, ..Limits::default() },
        });
        assert_eq!(ran.gave_up, None);
        match ran.outcome.ending {
            Ending::Exited(_) => false,
            Ending::Signal(_) => true,
            other => panic!("{other:?}"),
        }
    }

    /// Whether the graph comes to an error with these values. There is never more than one way to go.
    fn graph_fails(&self, nondet: &[i64]) -> bool {
        let graph = &self.flow.graph;
        let fits = |to: VarId, value: u128| match graph.variables[to.0 as usize].sort {
            Sort::Bits(bits) => value & (u128::MAX >> (128 - bits)),
            Sort::Bool => value & 1,
            Sort::Int => value,
        };
        // What nobody has set is something that nobody would set.
        let start = |(number, variable): (u32, &Variable)| variable.initial.unwrap_or(fits(VarId(number), UNSET));
        let mut state: Vec<u128> = (0..).zip(&graph.variables).map(start).collect();
        let mut values = nondet.iter();
        let mut at = graph.initial[0];
        for _ in 0..LETTERS {
            if graph.errors.contains(&at) {
                return true;
            }
            let holds = |statement: Statement| match statement {
                Statement::Assume(holds) | Statement::Grant(holds) | Statement::Define(holds) => {
                    graph.value(holds, &state).expect("a value") != 0
                }
                Statement::Assign { .. } | Statement::Havoc { .. } => true,
            };
            let ways: Vec<_> = graph
                .edges
                .iter()
                .filter(|edge| edge.from == at && holds(graph.letters[edge.letter.index()]))
                .collect();
            let edge = match ways[..] {
                [] => return false,
                [edge] => edge,
                _ => panic!("there are {} ways to go", ways.len()),
            };
            match graph.letters[edge.letter.index()] {
                Statement::Assign { to, value } => {
                    state[to.0 as usize] = graph.value(value, &state).expect("a value");
                }
                Statement::Havoc { to } => {
                    assert!(matches!(self.flow.letter(edge.letter).kind, Kind::Nondet(_)));
                    let value = *values.next().expect("a value for each") as u128;
                    state[to.0 as usize] = fits(to, value);
                }
                _ => {}
            }
            at = edge.to;
        }
        panic!("it does not end")
    }
}

fn all(ranges: &[(i64, i64)]) -> Vec<Vec<i64>> {
    ranges.iter().fold(vec![vec![]], |all, (low, high)| {
        let longer = |one: &Vec<i64>| (*low..=*high).map(|value| [&one[..], &[value]].concat()).collect::<Vec<_>>();
        all.iter().flat_map(longer).collect()
    })
}

#[test]
fn generated_programs_fail_where_their_graphs_do() {
    let number = |name: &str, usual: u64| std::env::var(name).map_or(usual, |text| text.parse().expect("a number"));
    let (first, many) = (number("FIRST", 0), number("MANY", PROGRAMS));
    let (mut followed, mut runs, mut failing) = (0, 0, 0);
    for seed in first..first + many {
        let generated = generate(seed);
        let subject = Subject::new(&generated.text);
        if !subject.flow.notes.is_empty() {
            continue;
        }
        followed += 1;
        for inputs in all(&generated.ranges) {
            let (run, graph) = (subject.run_fails(&inputs), subject.graph_fails(&inputs));
            assert_eq!(run, graph, "program {seed}, given {inputs:?}: run, graph\n{}", generated.text);
            runs += 1;
            failing += usize::from(run);
        }
    }
    eprintln!("{followed} of {many} are followed, {failing} of {runs} runs fail");
    assert!(followed * 3 >= many * 2, "only {followed} of {many} are followed");
    assert!((runs / 4..runs * 3 / 4).contains(&failing), "{failing} of {runs} runs fail");
}

/// Programs that do what C does not allow: their graphs fail, or do not claim to show all.
const NOT_ALLOWED: [&str; 6] = [
    // The element is another array's, if arrays lie close together.
    "int a[2]; int b[50];
     int main(void) { int *p = a; int i = 16; return p[i]; }",
    "int *f(void) { int x = 3; int *p = &x; return p; }
     int main(void) { int *p = f(); return *p; }",
    "int *f(void) { int x = 3; int *p = &x; return p; }
     int main(void) { int *p = f(); *p = 1; return 0; }",
    "const int constant = 3;
     int main(void) { int *p = (int *)&constant; *p = 4; return 0; }",
    "#include <string.h>
     int a[2]; int b = 1;
     int main(void) { memset(a, 0, sizeof a + sizeof b); return b; }",
    "#include <string.h>
     int a[4]; int b[2];
     int main(void) { memcpy(a, b, sizeof a); return 0; }",
];

#[test]
fn what_c_does_not_allow_is_an_error_or_a_note() {
    for text in NOT_ALLOWED {
        let subject = Subject::new(text);
        assert!(!subject.flow.notes.is_empty() || subject.graph_fails(&[]), "{text}");
    }
}

#[test]
fn what_overlaps_is_moved_as_it_was() {
    for (to, from) in [(0, 1), (1, 0), (2, 0), (0, 2), (1, 1)] {
        let text = format!(
            "#include <string.h>
             extern void reach_error(void);
             int a[5] = {{1, 2, 3, 4, 5}};
             int main(void) {{
                 memmove(a + {to}, a + {from}, 3 * sizeof(int));
                 if (a[{to}] != {from} + 1 || a[{to} + 1] != {from} + 2 || a[{to} + 2] != {from} + 3) reach_error();
                 return 0;
             }}"
        );
        let subject = Subject::new(&text);
        assert!(subject.flow.notes.is_empty() && !subject.run_fails(&[]) && !subject.graph_fails(&[]), "{text}");
    }
}
