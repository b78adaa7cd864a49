//! The dynamic loader ends a program that it cannot give what it needs, at its start or at a call: that is no run of it.

use crate::error::Error;
use crate::output::Captured;
use crate::runner::Ending;

/// The status with which it does.
pub const STATUS: i32 = 127;
/// Another version of a library has another status and is told in other words.
const OTHER_VERSION: (i32, &str) = (1, "' not found (required by ");
/// How it begins what it says then, behind the program's name.
const WORDS: [&str; 3] = ["error while loading shared libraries: ", "symbol lookup error: ", "relocation error: "];

/// An error if it has ended a program that knows itself by a name.
pub fn refused(name: &str, ending: Ending, stderr: &Captured) -> Result<(), Error> {
    let text = String::from_utf8_lossy(&stderr.kept);
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    let Some(words) = last.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")) else { return Ok(()) };
    let says_so = ending == Ending::Exited(STATUS) && WORDS.iter().any(|start| words.starts_with(start));
    let wants_version = ending == Ending::Exited(OTHER_VERSION.0) && words.contains(OTHER_VERSION.1);
    if says_so || wants_version { Err(Error::Refused { words: words.to_string() }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(ending: Ending, stderr: &str) -> Option<String> {
        let stderr = Captured { kept: stderr.into(), bytes: stderr.len() as u64 };
        refused("./prog", ending, &stderr).err().map(|error| error.to_string())
    }

    #[test]
    fn only_the_loader_speaks_in_the_name_of_the_program() {
        let says = "hello\n./prog: symbol lookup error: /lib/libx.so: undefined symbol: f\n";
        let told = "the dynamic loader ends the program: symbol lookup error: /lib/libx.so: undefined symbol: f";
        assert_eq!(words(Ending::Exited(127), says).as_deref(), Some(told));
        assert_eq!(words(Ending::Exited(1), says), None);
        assert_eq!(words(Ending::Exited(127), "./other: symbol lookup error: undefined symbol: f\n"), None);
        assert_eq!(words(Ending::Exited(127), "./prog: no such command\n"), None);
        let old = "./prog: /lib/libc.so.6: version `GLIBC_9.9' not found (required by ./prog)\n";
        assert!(words(Ending::Exited(1), old).expect("it was refused").contains("GLIBC_9.9"));
        assert_eq!(words(Ending::Exited(127), old), None);
    }
}
