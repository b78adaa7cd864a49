//! The inputs found, as a directory of tests: `NAME.in` is standard input, `NAME.args` the arguments of the program, and
//! `NAME.inputs` has a line `NAME=VALUE` for each parameter and global and a line `nondet: V,V,...`.

use super::report::Searched;
use std::fs;
use std::io;
use std::path::Path;
use wherefore_search::Found;

/// Write the tests.
pub fn save(directory: &Path, searched: &Searched, found: &Found) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for (test, case) in searched.tests.iter().zip(found.failing.iter().chain(&found.passing)) {
        let path = |kind: &str| directory.join(format!("{}.{kind}", test.name));
        fs::write(path("in"), case.given.stdin.as_deref().unwrap_or_default())?;
        if !case.given.arguments.is_empty() {
            let words: Vec<String> =
                case.given.arguments.iter().map(|a| super::value::shell(&a.to_string_lossy())).collect();
            fs::write(path("args"), format!("{}\n", words.join(" ")))?;
        }
        let mut lines = String::new();
        let mut options = test.arguments.iter();
        while let Some(option) = options.next() {
            match (option.as_str(), options.next()) {
                ("--input", Some(text)) => lines.push_str(&format!("{text}\n")),
                ("--nondet", Some(values)) => lines.push_str(&format!("nondet: {values}\n")),
                _ => break,
            }
        }
        if !lines.is_empty() {
            fs::write(path("inputs"), lines)?;
        }
    }
    Ok(())
}
