//! Trace abstraction: the error traces of a program as the words of an automaton, proved infeasible or found, set by set.
//!
//! A [`Graph`] is a program as an automaton over its statements; its words are its error traces. [`explore`] takes a
//! shortest word of what remains of them. Where it cannot be executed, a few of its statements say why; the assertions along
//! it become predicates of a Floyd-Hoare automaton, all of whose words are infeasible, and are subtracted (Heizmann,
//! Hoenicke, Podelski: *Software model checking for people who love automata*). Where it can, it is an error trace; to go
//! on to others, a danger automaton of those that are like it is subtracted (*Static fault localization for simple bugs*,
//! section 4). When nothing remains, that is a [`Proof`], which the other backend checks.
//!
//! **Knows** terms, solvers and the paths of `relevance`. **Must not know** where a graph comes from, or how an answer is
//! shown.

mod automaton;
mod danger;
mod engine;
mod facts;
mod graph;
mod live;
mod logic;
mod proof;
mod remaining;
mod straight;
mod word;

pub use automaton::Automaton;
pub use danger::Danger;
pub use engine::{End, Next, Outcome, Settings, Statistics, Trace, explore};
pub use graph::{Edge, Graph, LetterId, LocationId};
pub use proof::{Asserted, Checked, Proof};
pub use wherefore_relevance::{Execution, Statement, Variable};
