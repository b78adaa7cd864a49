//! One suite for every backend: the same claims, instantiated by [`for_each_backend`].
//!
//! What an operator means is written here once more, on plain numbers, so that a mistake in the evaluation of terms
//! cannot hide a mistake in a backend.

/// Makes one test per backend of each function that takes one.
macro_rules! for_each_backend {
    ($($name:ident),* $(,)?) => {
        mod cadical {
            $(#[test] fn $name() { super::$name(wherefore_solver::Backend::Cadical); })*
        }
        mod z3 {
            $(#[test] fn $name() { super::$name(wherefore_solver::Backend::Z3); })*
        }
    };
}

mod agreement;
mod cores;
mod float_searches;
mod floats;
mod giving_up;
mod integers;
mod interruptions;
mod operators;
mod support;
mod usage;
