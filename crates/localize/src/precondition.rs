//! The precondition of a story, made to hold for all the inputs it speaks of.
//!
//! A story follows values, not pointers: an element is the cell that the run accessed, a library's result what it
//! returned. Where that depends on the inputs the precondition has to say so. It is found by a second walk in which
//! everything that was fixed to the run has to be implied too.

use crate::check::{Checked, Reading, check};
use crate::generalise::{is_pointer, tidy};
use crate::invariant::Sequence;
use crate::reason::Reasoner;
use crate::walk::{Goal, Mode, walk};
use wherefore_formula::{Node, TermId};
use wherefore_program::Program;
use wherefore_trace::Trace;

/// What must hold at the start besides the first invariant of a story, and whether the second opinion is that this is
/// all.
pub fn complete(
    program: &Program,
    trace: &mut Trace,
    goal: &Goal,
    story: &Sequence,
    reasoner: &mut Reasoner,
    second: &mut Reasoner,
) -> (Vec<TermId>, Checked) {
    let first = story.initial.atoms.clone();
    if trace.initial.iter().all(Option::is_none) {
        return (first, Checked::Yes);
    }
    let mode = Mode { flow: true, assume: false, addresses: true, ..Mode::default() };
    let Some(found) = walk(program, trace, goal, mode, reasoner, &mut vec![]) else {
        return (first, Checked::Unknown("out of time".into()));
    };
    let checked = check(program, trace, goal, &found, Reading::Guarded, second);
    let mut atoms = first.clone();
    for atom in found.initial.atoms {
        if !is_place(program, trace, atom) && !reasoner.implies(&mut trace.terms, &first, atom) {
            atoms.push(atom);
        }
    }
    if atoms.len() > first.len() {
        atoms = tidy(&mut trace.terms, &atoms);
    }
    (atoms, checked)
}

/// Whether a formula only says where a pointer points: an address is a name for what lies there.
fn is_place(program: &Program, trace: &Trace, atom: TermId) -> bool {
    let Node::Eq(a, b) = *trace.terms.node(atom) else { return false };
    let Node::Var(v, _) = *trace.terms.node(a) else { return false };
    is_pointer(&trace.variables[v.0 as usize], &program.types) && trace.terms.constant(b).is_some_and(|c| c != 0)
}
