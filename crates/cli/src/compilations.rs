//! A compilation database (`compile_commands.json`) as a program: each C file compiled as it says, where it says.

use crate::UsageError;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use wherefore_driver::Compilation;
use wherefore_record::Scratch;

/// One command of the database.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    command: String,
    #[serde(default)]
    arguments: Vec<String>,
}

/// The compiled files, in a folder that has to be kept.
///
/// # Errors
/// When the database cannot be read, names no C file, or clang rejects one.
pub fn compiled(path: &Path) -> anyhow::Result<(Vec<PathBuf>, Scratch)> {
    let wrong = |what: String| UsageError(format!("--compile-commands {}: {what}", path.display()));
    let text = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let entries: Vec<Entry> = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
    let mut seen: Vec<PathBuf> = vec![];
    let mut compilations = vec![];
    for entry in entries {
        // A file that is compiled once more, for a library perhaps, is one part of the program all the same.
        let file = entry.directory.join(&entry.file);
        if file.extension().is_none_or(|extension| extension != "c") || seen.contains(&file) {
            continue;
        }
        seen.push(file);
        let words = if entry.arguments.is_empty() { shlex::split(&entry.command) } else { Some(entry.arguments) };
        let words = words.ok_or_else(|| wrong(format!("not a command: {}", entry.command)))?;
        let arguments = words.into_iter().skip(1).map(OsString::from).collect();
        compilations.push(Compilation { directory: entry.directory, arguments });
    }
    if compilations.is_empty() {
        return Err(wrong("it has no C files".into()).into());
    }
    let folder = Scratch::new()?;
    let files = wherefore_driver::bitcode(&compilations, folder.path())?;
    Ok((files, folder))
}
