//! What a search makes of what is known of functions outside the program.

use crate::form::Form;
use wherefore_clib::{self as clib, Channel, Gives, Judge};

/// What a function does with what it is given.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Manner {
    /// It writes numbers somewhere outside the program: whatever they are, nothing else changes.
    pub shows_numbers: bool,
    /// It looks at its arguments and, if at memory, only to find its result.
    pub keeps_to_values: bool,
    /// Which argument is a stream of the library.
    pub stream: Option<usize>,
}

/// What is known of how a function treats its arguments.
pub(crate) fn manner(name: &str) -> Manner {
    let Some(function) = clib::function(name) else { return Manner::default() };
    let decides = function.ends.is_some() || function.judges.is_some() || function.gives == Gives::Table;
    let shows = matches!(function.writes_output, Some(Channel::Standard | Channel::Error | Channel::Stream(_)));
    let manages = (function.allocates.is_some() || function.frees.is_some()) && function.accesses.is_empty();
    Manner {
        shows_numbers: decides || shows,
        keeps_to_values: decides || manages || function.is_pure(),
        stream: function.output_stream(),
    }
}

/// Whether a function only stops runs that do not count.
pub(crate) fn is_assumption(name: &str) -> bool {
    clib::judge(name) == Some(Judge::Assumes)
}

/// What a result depends on.
pub(crate) fn gives(name: &str) -> Gives {
    clib::function(name).map_or(Gives::Anything, |function| function.gives)
}

/// What a `__VERIFIER_nondet_` function gives.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Nondet {
    /// A value of a form.
    Value(Form),
    /// 64 bits extended to 128.
    Wide {
        /// With the sign.
        signed: bool,
    },
    /// A pointer.
    Pointer,
    /// Bytes in memory, one value for each.
    Memory,
}

/// What a function of verifiers gives, by its name and the width of its result.
pub(crate) fn nondet(name: &str, bits: u32) -> Option<Nondet> {
    Some(match clib::nondet(name)? {
        clib::Nondet::Truth => Nondet::Value(Form::Truth),
        clib::Nondet::Integer { signed } => Nondet::Value(Form::Integer { bits: bits.clamp(1, 64), signed }),
        clib::Nondet::Real if bits <= 64 => Nondet::Value(Form::Real { bits }),
        // Declared with another type than it has.
        clib::Nondet::Real => Nondet::Value(Form::Integer { bits: 64, signed: true }),
        clib::Nondet::Wide { signed } => Nondet::Wide { signed },
        clib::Nondet::Pointer => Nondet::Pointer,
        clib::Nondet::Memory => Nondet::Memory,
    })
}
