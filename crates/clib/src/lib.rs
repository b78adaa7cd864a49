//! What is known of the C library: one row for each function, and how formats of `printf` and `scanf` are read.
//!
//! The engines ask here what a function does to memory, to the run and to the world; where one of them says more, by a
//! model of what the function computes, it matches on [`Function::name`]. A function that has no row may do anything.

mod format;
mod function;
mod nondet;
pub mod print;
pub mod scan;
pub mod seen;
mod table;
pub mod waiting;
pub mod writing;

pub use format::{Length, Unsupported};
pub use function::{Access, Allocation, Callback, Channel, Ending, Extent, Format, Function, Gives, Judge, Symbol};
pub use nondet::{NONDET_PREFIX, Nondet, nondet, nondet_kinds};
pub use table::{LABEL, NOTHING, UNREACHABLE};

use std::collections::HashMap;
use std::sync::LazyLock;

/// All rows.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    table::ALL.iter().copied().flatten()
}

/// Functions by their names and by the symbols that take the same arguments.
static BY_NAME: LazyLock<HashMap<&'static str, &'static Function>> = LazyLock::new(|| {
    let mut all = HashMap::new();
    for function in functions() {
        all.insert(function.name, function);
        all.extend(function.synonyms.iter().map(|name| (*name, function)));
        let plain = function.symbols.iter().filter(|symbol| symbol.extra.is_empty());
        all.extend(plain.map(|symbol| (symbol.name, function)));
    }
    all
});

/// Functions by the symbols that headers and compilers call them by.
static BY_SYMBOL: LazyLock<HashMap<&'static str, (&'static Function, &'static [usize])>> = LazyLock::new(|| {
    let symbols = |f: &'static Function| f.symbols.iter().map(move |symbol| (symbol.name, (f, symbol.extra)));
    functions().flat_map(symbols).collect()
});

/// The function of a name: its own, that of one that does the same, or a symbol for it.
pub fn function(name: &str) -> Option<&'static Function> {
    BY_NAME.get(name).copied()
}

/// The name by which the rows, and so the models of the engines, know a function; any other name as it is.
pub fn known_as(name: &str) -> &str {
    function(name).map_or(name, |function| function.name)
}

/// The name that a program has written where a symbol is called, and the numbers of the arguments that only the symbol
/// has: `__sprintf_chk` is `sprintf` with two more.
pub fn written_as(symbol: &str) -> (&str, &'static [usize]) {
    match BY_SYMBOL.get(symbol) {
        Some((function, extra)) => (function.name, extra),
        None => (symbol, &[]),
    }
}

/// The function of the library that clang makes an intrinsic of, by the intrinsic's name without `llvm.` and types.
pub fn of_intrinsic(name: &str) -> Option<&'static Function> {
    functions().find(|function| function.intrinsic == Some(name))
}

/// Whether a call of this name ends the program.
pub fn ending(name: &str) -> Option<Ending> {
    function(name)?.ends
}

/// Names that the compiler gives what is no function: they do nothing by themselves.
const OPERATIONS: &[&str] = &["va_start", "va_arg", "llvm."];

/// Whether something else may end or change the program once a function of this name has been called; a function
/// without a row may see to that.
pub fn unsettles(name: &str) -> bool {
    let is_operation = OPERATIONS.iter().any(|prefix| name.starts_with(prefix));
    function(name).map_or(!is_operation && nondet(name).is_none(), |function| function.unsettles)
}

/// What a function of this name does with the condition it is given.
pub fn judge(name: &str) -> Option<Judge> {
    function(name)?.judges
}
