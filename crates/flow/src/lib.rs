//! A program as a graph of statements: calls inlined, registers folded into what is stored, pointers as cases.
//!
//! Each cell of an object that has a name of its own (a local, a global, a member, an element) is a variable. Arithmetic
//! wraps and shifts look at low bits, as the machine does at -O0 and as `unfold` reads it; a division by zero is an error.
//! Objects have fixed addresses; what a pointer that is not constant means is a choice among cells. What is not followed
//! ends there, and a note says so: of a graph with notes nothing is proved, and an error trace is to be confirmed by a run.
//!
//! **Knows** programs, terms and graphs. **Must not know** solvers, runs, or how an answer is shown.

mod builder;
mod calls;
mod function;
mod memory;
mod values;
mod ways;

use wherefore_automata::{Graph, LetterId};
use wherefore_clib::Nondet;
use wherefore_formula::VarId;
use wherefore_program::{FunctionId, GlobalId, LocalId, Note, Origin, Program, TypeId};

/// What is followed.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What globals begin with; zeros where nothing is known.
    pub images: Vec<Option<Vec<u8>>>,
    /// Addresses in them: of which global, where, and of what.
    pub pointers: Vec<(GlobalId, u64, Pointer)>,
    /// Globals that may begin with anything.
    pub open: Vec<GlobalId>,
    /// The status with which the program has to end; any other one is a failure.
    pub status: Option<i32>,
}

/// What an address is of.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Pointer {
    /// A place in a global.
    Global(GlobalId, i64),
    /// A function.
    Function(FunctionId),
}

/// A program as a graph.
#[derive(Clone, Debug)]
pub struct Flow {
    /// The graph.
    pub graph: Graph,
    /// What each letter is in the program.
    pub letters: Vec<Letter>,
    /// What each variable is.
    pub variables: Vec<Named>,
    /// The variables that hold what the entry function is given.
    pub parameters: Vec<VarId>,
    /// Those of globals that may begin with anything: which, where in it, and the variable.
    pub open: Vec<(GlobalId, u64, VarId)>,
    /// What is not followed.
    pub notes: Vec<Note>,
    /// What C leaves open, and what it is taken for.
    pub taken: Vec<Note>,
}

/// What a letter is in the program.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Letter {
    /// Where it stands.
    pub at: Option<Origin>,
    /// The function that it stands in.
    pub function: FunctionId,
    /// What it is.
    pub kind: Kind,
}

/// What a letter is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// An assignment of the source.
    Assign,
    /// What a function is given.
    Pass,
    /// What a function returns.
    Return,
    /// A value that may be any, in the order in which the program asks for them.
    Nondet(Nondet),
    /// A condition.
    Condition,
    /// The condition under which the program fails.
    Failure,
    /// Nothing that the source has.
    Internal,
}

/// What a variable is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Named {
    /// Its name in C; "" where it has none.
    pub name: String,
    /// Its type.
    pub ctype: Option<TypeId>,
    /// The local it belongs to.
    pub local: Option<(FunctionId, LocalId)>,
}

impl Flow {
    /// A graph of a program that starts in a function.
    pub fn new(program: &Program, entry: FunctionId, options: &Options) -> Flow {
        builder::build(program, entry, options)
    }

    /// What a letter is.
    pub fn letter(&self, letter: LetterId) -> &Letter {
        &self.letters[letter.index()]
    }

    /// What a variable is.
    pub fn variable(&self, var: VarId) -> &Named {
        &self.variables[var.0 as usize]
    }
}
