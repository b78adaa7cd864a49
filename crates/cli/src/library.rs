//! What a reader need not be told about library functions.

use wherefore_clib as clib;

/// Whether what a function gives is an input of the run, or a fresh object: nothing that could be looked into.
pub fn is_input(callee: &str) -> bool {
    let Some(function) = clib::function(callee) else { return clib::nondet(callee).is_some() };
    let is_fresh = function.allocates.is_some() && function.accesses.is_empty();
    let comes_from_outside = function.reads_input.is_some() || function.nondeterministic;
    is_fresh || comes_from_outside || matches!(function.name, "getenv" | "setjmp")
}
