//! Boogie, the language in the middle of many verifiers: from a text to a [`Program`].
//!
//! [`read`] cuts a text into words, parses them (with `winnow`), checks names and types, and [`Boogie::program`] lowers what
//! it found: procedures with bodies become functions, `assert` and `assume` become branches, `havoc`, `if (*)` and
//! `goto a, b` become calls that may give anything. What is not supported is refused by its name and place.
//!
//! `int` is a number of 64 bits that must not overflow; a map is an object with a cell for each index of a window, see
//! [`types`]. What either cannot hold is for whoever runs the program to say: it shows as a signed overflow, or as an
//! access outside of the object.
//!
//! Knows: Boogie's syntax and meaning, the program model. Must not know: runs, solvers, output; it opens no files.

mod check;
mod core;
mod lower;
mod outline;
mod parse;
mod places;
mod syntax;
mod token;
pub mod types;

pub use places::{Problem, Problems};
pub use types::Type;

/// What the values are called that choose a way: they may be any, and nothing is assigned.
pub const CHOICES: &[&str] = &[lower::EITHER, lower::GOTO, lower::GOTO_SEVERAL];

use core::Module;
use wherefore_program::Program;
use wherefore_source::Outline;

/// A text that was understood.
#[derive(Debug)]
pub struct Boogie {
    path: String,
    text: String,
    module: Module,
}

/// Reads a text; `path` is what messages call it.
///
/// # Errors
/// All that is wrong with it or not supported, as far as it was found, in the order of the text.
pub fn read(path: &str, text: &str) -> Result<Boogie, Problems> {
    let refused = |mut found: Vec<places::Found>| {
        found.sort_by_key(|found| found.span.start);
        found.dedup();
        Problems::new(path, text, found)
    };
    let (file, problems) = parse::parse(text);
    if !problems.is_empty() {
        return Err(refused(problems));
    }
    let module = check::check(&file).map_err(refused)?;
    Ok(Boogie { path: path.into(), text: text.into(), module })
}

/// Where the statements and conditions of a text are; nothing for what cannot be parsed.
pub fn outline(text: &str) -> Outline {
    outline::outline(&parse::parse(text).0)
}

impl Boogie {
    /// The procedures that have a body, in order.
    pub fn procedures(&self) -> Vec<&str> {
        self.module.procedures.iter().filter(|p| p.body.is_some()).map(|p| p.name.as_str()).collect()
    }

    /// The procedure that a run starts in where nobody says: `main`, or the only one that has a body.
    pub fn main(&self) -> Option<&str> {
        let all = self.procedures();
        all.iter().find(|name| **name == "main").copied().or_else(|| all.first().filter(|_| all.len() == 1).copied())
    }

    /// The program whose runs start in a procedure; `None` where there is none of that name with a body.
    pub fn program(&self, entry: &str) -> Option<Program> {
        let entry = self.module.procedures.iter().position(|p| p.name == entry && p.body.is_some())?;
        Some(lower::lower(&self.module, entry, &self.path, &self.text))
    }
}
