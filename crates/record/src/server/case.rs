//! A case, what came of it, and the bytes in which the runtime reads it.

use crate::error::Error;
use crate::input::{encode_inputs, encode_nondet};
use crate::output::Captured;
use crate::runner::Ending;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use wherefore_case::{Given, Input};

/// One run that a program that is served is asked for.
#[derive(Copy, Clone, Debug, Default)]
pub struct Task<'a> {
    /// Its arguments, from the first on.
    pub arguments: &'a [OsString],
    /// Its name for itself; `None`: the path of the executable as given.
    pub argv0: Option<&'a OsStr>,
    /// Its standard input; `None`: nothing.
    pub stdin: Option<&'a [u8]>,
    /// Values of `__VERIFIER_nondet_*` calls in order, as bit patterns.
    pub nondet: &'a [u64],
    /// Values of parameters and globals.
    pub inputs: &'a [Input],
    /// Values to force; only a program that is replayed has points for them. Of several for the same execution of a
    /// point the last counts.
    pub forced: &'a [Forced],
}

impl<'a> From<&'a Given> for Task<'a> {
    fn from(given: &'a Given) -> Task<'a> {
        Task {
            arguments: &given.arguments,
            stdin: given.stdin.as_deref(),
            nondet: &given.nondet,
            inputs: &given.inputs,
            ..Task::default()
        }
    }
}

/// A value that a program takes instead of the one it computed.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Forced {
    /// The point, by its index in `wherefore_program::points`.
    pub point: u32,
    /// Which execution of the point in the run, from 0.
    pub occurrence: u32,
    /// The value, as many of the low bits as it has; for an address what is added to it.
    pub value: u64,
}

/// What a case did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CaseOutcome {
    /// How it ended.
    pub ending: Ending,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// How often each block was entered, by recording number, modulo 2^32. What processes forked by the program do is
    /// not counted.
    pub counts: Vec<u32>,
    /// How many of the forced values were taken.
    pub applied: usize,
    /// Whether the run ended because a `__VERIFIER_assume` did not hold.
    pub assumption_violated: bool,
}

/// Most bytes of one argument, its zero byte included, and of all together, as a system with a stack of 8 MiB allows.
const ARGUMENT_BYTES: usize = 128 << 10;
const ALL_ARGUMENTS_BYTES: usize = 2 << 20;

/// A case as the runtime reads it.
pub(super) struct Encoded<'a> {
    pub stdin: &'a [u8],
    pub inputs: String,
    pub nondet: String,
    /// How many there are, the name for itself included, and their texts, each with a zero byte.
    pub argument_count: usize,
    pub arguments: Vec<u8>,
    /// Ordered by point and occurrence, each once.
    pub forced: Vec<Forced>,
}

impl<'a> Encoded<'a> {
    pub fn new(case: &Task<'a>, executable: &Path) -> Result<Encoded<'a>, Error> {
        let argv0 = case.argv0.unwrap_or(executable.as_os_str());
        let mut arguments = vec![];
        for (index, argument) in [argv0].into_iter().chain(case.arguments.iter().map(|a| a.as_os_str())).enumerate() {
            let bytes = argument.as_bytes();
            if bytes.contains(&0) {
                return Err(Error::ZeroByte { what: format!("argument {index}") });
            }
            arguments.extend_from_slice(bytes);
            arguments.push(0);
            if bytes.len() >= ARGUMENT_BYTES || arguments.len() > ALL_ARGUMENTS_BYTES {
                let source = io::Error::from_raw_os_error(libc::E2BIG);
                return Err(Error::Start { executable: executable.to_owned(), step: "pass its arguments", source });
            }
        }
        let mut forced = case.forced.to_vec();
        // Stable, so that the last of equals stays the last.
        forced.sort_by_key(|f| (f.point, f.occurrence));
        forced.reverse();
        forced.dedup_by_key(|f| (f.point, f.occurrence));
        forced.reverse();
        Ok(Encoded {
            stdin: case.stdin.unwrap_or(&[]),
            inputs: encode_inputs(case.inputs),
            nondet: encode_nondet(case.nondet),
            argument_count: 1 + case.arguments.len(),
            arguments,
            forced,
        })
    }

    /// Most bytes it takes in the file.
    pub fn bytes(&self) -> u64 {
        (self.inputs.len() + self.nondet.len() + self.arguments.len() + 8 + 16 * self.forced.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forced_values_are_ordered_and_the_last_counts() {
        let forced = |point, occurrence, value| Forced { point, occurrence, value };
        let all = [forced(2, 0, 1), forced(1, 5, 2), forced(2, 0, 3), forced(1, 4, 4), forced(2, 0, 5)];
        let case = Task { forced: &all, ..Task::default() };
        let encoded = Encoded::new(&case, Path::new("p")).unwrap();
        assert_eq!(encoded.forced, [forced(1, 4, 4), forced(1, 5, 2), forced(2, 0, 5)]);
        assert_eq!((encoded.argument_count, &encoded.arguments[..]), (1, &b"p\0"[..]));
    }

    #[test]
    fn arguments_that_no_program_can_have() {
        let error = |argument: String| {
            let arguments = [argument.into()];
            Encoded::new(&Task { arguments: &arguments, ..Task::default() }, Path::new("p")).err().unwrap()
        };
        assert!(matches!(error("a\0b".to_owned()), Error::ZeroByte { .. }));
        assert!(matches!(error("a".repeat(128 << 10)), Error::Start { .. }));
    }
}
