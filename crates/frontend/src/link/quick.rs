//! The linker without the compiler driver in front of it: half the time for a small program.
//!
//! The driver is asked once what it would start; names of libraries are looked up then, as reading the directories of all
//! libraries is most of what is left.

use super::USUAL;
use crate::clang::on_path;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const LINKER: &str = "ld.gold";

/// What stands for files in the question: names that need no quotes.
const FILES: [&str; 3] = ["executable", "object.o", "runtime.o"];

/// Whether there is a linker that takes half the time of the usual one, as far as small programs are concerned.
pub(super) fn is_there() -> bool {
    static IS_THERE: OnceLock<bool> = OnceLock::new();
    *IS_THERE.get_or_init(|| on_path(LINKER) && on_path("cc"))
}

/// Links an executable of two object files and the usual libraries; `None` where only the driver knows how.
pub(super) fn linker(files: [&PathBuf; 3]) -> Option<Command> {
    static ARGUMENTS: OnceLock<Option<Vec<String>>> = OnceLock::new();
    let arguments = ARGUMENTS.get_or_init(|| if is_there() { asked() } else { None }).as_ref()?;
    let mut command = Command::new(LINKER);
    command.args(arguments.iter().map(|argument| match FILES.iter().position(|name| name == argument) {
        Some(number) => files[number].into(),
        None => OsString::from(argument),
    }));
    Some(command)
}

/// The arguments that the driver would give to the linker.
fn asked() -> Option<Vec<String>> {
    let [executable, objects @ ..] = FILES;
    let mut command = Command::new("cc");
    command.args(["-###", "-no-pie", "-static-libgcc", "-o", executable]).args(objects).args(USUAL);
    let said = String::from_utf8(command.env("LC_ALL", "C").output().ok()?.stderr).ok()?;
    // The linker comes last.
    let mut words = said.lines().filter_map(shlex::split).rfind(|words| words.iter().any(|word| word == objects[0]))?;
    words.remove(0);
    // All libraries have their paths.
    words.push("-nostdlib".into());
    plain(words, &|path| path.is_file())
}

/// Arguments with libraries by their paths, without what a driver adds for optimising at link time.
fn plain(words: Vec<String>, exists: &dyn Fn(&Path) -> bool) -> Option<Vec<String>> {
    let directories: Vec<PathBuf> = words.iter().filter_map(|word| Some(word.strip_prefix("-L")?.into())).collect();
    let file = |library: &str| {
        let names = [format!("lib{library}.so"), format!("lib{library}.a")];
        let mut paths = directories.iter().flat_map(|directory| names.iter().map(|name| directory.join(name)));
        paths.find(|path| exists(path))?.to_str().map(String::from)
    };
    let mut plain = vec![];
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word == "-plugin" {
            words.next();
        } else if let Some(library) = word.strip_prefix("-l") {
            plain.push(file(library)?);
        } else if !word.starts_with("-L") && !word.starts_with("-plugin") {
            plain.push(word);
        }
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_found_where_the_driver_looks_for_them() {
        let words = "-plugin x.so -plugin-opt=-pass-through=-lc -L/a -L/b -o out f.o -z now -lm -lc f2.o";
        let there = ["/b/libm.so", "/a/libm.a", "/b/libc.so", "/b/libc.a"];
        let asked = |libraries: &[&str]| {
            let exists = |path: &Path| libraries.iter().any(|there| Path::new(there) == path);
            plain(words.split(' ').map(String::from).collect(), &exists).map(|words| words.join(" "))
        };
        // What comes first in the order of the directories, a shared one before others of the same directory.
        assert_eq!(asked(&there).unwrap(), "-o out f.o -z now /a/libm.a /b/libc.so f2.o");
        assert_eq!(asked(&there[..2]), None);
    }
}
